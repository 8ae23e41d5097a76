"""The cache against a made-up API server: others write, we write, and news, lists and answers come when they like."""

from copy import deepcopy
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from orchestrator.cluster.kubernetes.api import Listing
from orchestrator.cluster.kubernetes.cache import Cache, Change
from orchestrator.cluster.kubernetes.stream import News

NAMES = st.sampled_from("abc")
LABEL = "of"


def labelled(item):
    return item["metadata"]["labels"][LABEL]


NAMESPACE = "here"


def version(item: dict[str, Any]) -> int:
    return int(item["metadata"]["resourceVersion"])


class Server:
    """Objects, and the log of what happened to them."""

    def __init__(self) -> None:
        self.revision = 100
        self.objects: dict[str, dict[str, Any]] = {}
        self.log: list[News] = []
        self.deleted_at: dict[str, int] = {}

    def write(self, name: str, label: str, ending: bool = False) -> dict[str, Any]:
        self.revision += 1
        is_new = name not in self.objects
        metadata = {} if is_new else self.objects[name]["metadata"]
        item = {
            "metadata": {
                "uid": f"uid-{self.revision}",
                **metadata,
                "namespace": NAMESPACE,
                "name": name,
                "labels": {LABEL: label},
                "resourceVersion": str(self.revision),
                **({"deletionTimestamp": "now"} if ending else {}),
            }
        }
        self.objects[name] = item
        self.log.append(News("ADDED" if is_new else "MODIFIED", item))
        return item

    def delete(self, name: str) -> dict[str, Any]:
        self.revision += 1
        item = deepcopy(self.objects.pop(name))
        item["metadata"]["resourceVersion"] = str(self.revision)
        self.deleted_at[item["metadata"]["uid"]] = self.revision
        self.log.append(News("DELETED", item))
        return item


class CacheAgainstServer(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.server = Server()
        self.cache = Cache(index=labelled)
        self.position = 0
        self.listing: Listing | None = None
        self.answers: dict[str, dict[str, Any]] = {}
        """One a name: nobody works on the same thing twice at a time."""
        self.forgotten: set[str] = set()
        self.ended: set[str] = set()
        """Objects that we saw and deleted without a time of grace."""
        self.written: dict[str, int] = {}
        """The version of our last write that was answered, by uid."""
        self.by_others: dict[str, int] = {}
        """The last revision by which somebody else changed an object, by uid."""
        self.told: dict[str, dict[str, Any] | None] = {}
        """What was last told of a name."""
        self.versions: dict[str, int] = {}

    def tell(self, change: Change | None) -> None:
        if change is None:
            return
        either = change.new or change.old
        assert either is not None
        name = either["metadata"]["name"]
        assert change.new is self.cache.get(NAMESPACE, name)
        assert change.old is not change.new
        self.told[name] = change.new

    @rule(name=NAMES, label=st.sampled_from("xy"))
    def another_writes(self, name: str, label: str) -> None:
        item = self.server.write(name, label)
        self.by_others[item["metadata"]["uid"]] = version(item)

    @precondition(lambda self: self.server.objects)
    @rule(data=st.data(), gracefully=st.booleans())
    def another_deletes(self, data: st.DataObject, gracefully: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.server.objects)))
        item = self.server.write(name, "x", ending=True) if gracefully else self.server.delete(name)
        self.by_others[item["metadata"]["uid"]] = version(item)

    @rule(name=NAMES, label=st.sampled_from("xy"))
    def we_write(self, name: str, label: str) -> None:
        if name not in self.answers:
            self.answers[name] = self.server.write(name, label)

    @precondition(lambda self: self.answers)
    @rule(data=st.data())
    def an_answer_comes(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.answers)))
        item = self.answers.pop(name)
        self.cache.observe(item)
        self.written[item["metadata"]["uid"]] = version(item)

    @precondition(lambda self: self.server.objects.keys() - self.answers.keys())
    @rule(data=st.data(), gracefully=st.booleans())
    def we_delete(self, data: st.DataObject, gracefully: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.server.objects.keys() - self.answers.keys())))
        metadata, known = self.server.objects[name]["metadata"], self.cache.get(NAMESPACE, name)
        uid = metadata["uid"]
        if known is not None and known["metadata"]["uid"] == uid and "deletionTimestamp" not in metadata:
            self.ended |= set() if gracefully else {uid}
        if gracefully:
            self.server.write(name, "x", ending=True)
        else:
            self.server.delete(name)
        self.cache.forget(NAMESPACE, name, uid)
        self.forgotten.add(uid)
        there = self.cache.get(NAMESPACE, name)
        assert there is None or there["metadata"]["uid"] != uid, "we see what we deleted"

    @precondition(lambda self: self.listing is None and self.cache.seen(None) and self.position < len(self.server.log))
    @rule()
    def news_comes(self) -> None:
        news = self.server.log[self.position]
        self.position += 1
        self.tell(self.cache.follow(None, news))

    @precondition(lambda self: self.listing is None and self.position == len(self.server.log) and self.cache.seen(None))
    @rule()
    def a_bookmark_comes(self) -> None:
        self.server.revision += 1
        bookmark = {"metadata": {"resourceVersion": str(self.server.revision)}}
        assert self.cache.follow(None, News("BOOKMARK", bookmark)) is None

    @precondition(lambda self: self.listing is None)
    @rule()
    def a_list_is_made(self) -> None:
        self.listing = Listing(list(self.server.objects.values()), str(self.server.revision))
        self.position = len(self.server.log)

    @precondition(lambda self: self.listing is not None)
    @rule()
    def a_list_comes(self) -> None:
        assert self.listing is not None
        changes = self.cache.replace(None, self.listing)
        for change in changes:
            self.tell(change)
        self.listing = None

    @invariant()
    def nothing_goes_back_and_nothing_comes_back(self) -> None:
        seen = int(self.cache.seen(None) or 0)
        for item in self.cache.all():
            uid = item["metadata"]["uid"]
            assert version(item) >= self.versions.get(uid, 0), "an older version in place of a newer one"
            self.versions[uid] = version(item)
            assert self.server.deleted_at.get(uid, seen + 1) > seen, "deleted, and back"

    @invariant()
    def we_see_what_we_wrote_and_not_what_we_deleted(self) -> None:
        for name, there in self.server.objects.items():
            uid = there["metadata"]["uid"]
            if uid in self.written and uid not in self.forgotten:
                seen = self.cache.get(NAMESPACE, name)
                assert seen is not None
                assert version(seen) >= self.written[uid]
        assert not self.ended & {item["metadata"]["uid"] for item in self.cache.all()}

    @invariant()
    def the_index_agrees(self) -> None:
        for label in "xy":
            want = [item for item in self.cache.all(NAMESPACE) if labelled(item) == label]
            assert sorted(map(version, self.cache.indexed(label))) == sorted(map(version, want))

    def teardown(self) -> None:
        for item in self.answers.values():
            self.cache.observe(item)
        if self.listing is not None:
            self.a_list_comes()
        if not self.cache.seen(None):
            self.a_list_is_made()
            self.a_list_comes()
        while self.position < len(self.server.log):
            self.news_comes()
        assert {item["metadata"]["name"]: item for item in self.cache.all()} == self.server.objects
        for name, item in self.server.objects.items():
            uid = item["metadata"]["uid"]
            told = self.told.get(name)
            if told is not None and told["metadata"]["uid"] not in self.forgotten:
                assert told["metadata"]["uid"] == uid, "that another deleted it was never told"
            if uid in self.by_others:
                assert told is not None, "what another did was never told"
                assert version(told) >= self.by_others[uid], "what another did was never told"
        for name in self.told.keys() - self.server.objects.keys():
            told = self.told[name]
            assert told is None or told["metadata"]["uid"] in self.forgotten, "that it is gone was never told"
        self.nothing_goes_back_and_nothing_comes_back()
        self.the_index_agrees()


TestCacheAgainstServer = CacheAgainstServer.TestCase
TestCacheAgainstServer.settings = settings(
    max_examples=300, stateful_step_count=30, deadline=None, phases=[Phase.generate, Phase.shrink]
)


def test_an_api_server_restored_from_a_backup_is_believed() -> None:
    server = Server()
    cache = Cache()
    for name in "abc":
        server.write(name, "x")
    backup = deepcopy(server)
    server.write("a", "y")
    server.delete("b")
    cache.replace(None, Listing(list(server.objects.values()), str(server.revision)))
    changes = cache.replace(None, Listing(list(backup.objects.values()), str(backup.revision)))
    assert {item["metadata"]["name"]: item for item in cache.all()} == backup.objects
    assert {(change.new or {})["metadata"]["name"] for change in changes} >= {"a", "b"}
