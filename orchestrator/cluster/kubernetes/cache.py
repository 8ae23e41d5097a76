"""What is known of the objects of one kind: the news of the API server, with our own writes laid on top.

A write of ours is in here as soon as it is answered, so the next reconcile sees what the last one started. Versions
decide who is right: within a kind they grow with every change, so the larger one is the newer (Kubernetes says so since
1.35, and it was so before). The news of a scope (a namespace, or all) comes in the order of versions: whoever has seen
version 7 has seen everything up to 7, so an object of version 5 that isn't here was deleted and is not put back.

Each change is told once, as (before, now). The echo of our own write is not told: whoever wrote it knows. A change by
somebody else that our write overtook is told when its news comes, so it can't be lost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from orchestrator.cluster.kubernetes.api import Listing
from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.cluster.kubernetes.stream import News

Scope = str | None
"""A namespace, or None for all of them."""


Index = Callable[[Object], str | None]
"""By what else objects are found, such as whose they are; None: by nothing."""


class Change(NamedTuple):
    """`old` is None for a new object, `new` for one that is gone."""

    old: Object | None
    new: Object | None


_Name = tuple[str, str]


class Cache:
    """Objects by namespace and name, and by what `index` tells of them. They are shared: nobody may change what comes
    out of here."""

    def __init__(self, index: Index = lambda item: None) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._objects: dict[_Name, Object] = {}
        self._indexed: dict[str, dict[_Name, Object]] = {}
        self._seen: dict[Scope, str] = {}
        """For each scope, the version up to which its news was seen."""
        self._overtaken: dict[_Name, Object | None] = {}
        """Objects of which we laid a version on top whose echo has not come yet, with what was last told of them."""
        self._hidden: dict[str, Object] = {}
        """Objects that we deleted, by uid and as they were last known, until the news of it comes."""

    def get(self, namespace: str, name: str) -> Object | None:
        with self._lock:
            return self._objects.get((namespace, name))

    def all(self, namespace: Scope = None) -> list[Object]:
        with self._lock:
            return [item for (within, _), item in self._objects.items() if namespace in (None, within)]

    def indexed(self, value: str) -> list[Object]:
        """Those of which the index tells this."""
        with self._lock:
            return list(self._indexed.get(value, {}).values())

    def __len__(self) -> int:
        return len(self._objects)

    def seen(self, scope: Scope) -> str:
        """The version from which a watch of that scope goes on."""
        return self._seen.get(scope, "")

    def follow(self, scope: Scope, news: News) -> Change | None:
        """Take the next news of a scope in; what there is to tell."""
        with self._lock:
            self._seen[scope] = _version(news.object)
            if news.type == "BOOKMARK":
                return None
            if news.type == "DELETED":
                return self._deleted(news.object)
            return self._changed(news.object)

    def replace(self, scope: Scope, listing: Listing) -> list[Change]:
        """Take a whole list of a scope in; what there is to tell."""
        with self._lock:
            before, self._seen[scope] = self._seen.get(scope, ""), listing.resource_version
            went_back = before != "" and _is_newer(before, listing.resource_version)  # etcd restored from a backup
            changes = [self._listed(item, went_back) for item in listing.items]
            names, uids = {_name(item) for item in listing.items}, {_uid(item) for item in listing.items}
            for name, item in list(self._objects.items()):
                if name not in names and scope in (None, name[0]):
                    is_ours = _is_newer(_version(item), listing.resource_version) and not went_back
                    changes.append(self._tell_overtaken(name, item) if is_ours else self._gone(name, item))
            for name, told in list(self._overtaken.items()):
                is_absent = name not in names and name not in self._objects
                if is_absent and told is not None and _would_have(scope, listing, told):
                    changes.append(Change(self._overtaken.pop(name), None))
            for uid, item in list(self._hidden.items()):
                if uid not in uids and _would_have(scope, listing, item):
                    del self._hidden[uid]
            return [change for change in changes if change is not None]

    def observe(self, item: Object) -> None:
        """Lay the answer to a write of ours on top."""
        with self._lock:
            name = _name(item)
            current = self._objects.get(name)
            known = self._seen.get(name[0]) or self._seen.get(None, "") if current is None else _version(current)
            if _uid(item) in self._hidden or (known and not _is_newer(_version(item), known)):
                return
            self._overtaken.setdefault(name, current)
            self._put(name, item)

    def forget(self, namespace: str, name: str, uid: str) -> None:
        """We deleted it. It is back if news shows that it lives on for a while, with a deletionTimestamp."""
        with self._lock:
            current = self._objects.get((namespace, name))
            if current is not None and _uid(current) == uid:
                self._hidden[uid] = current
                told = self._overtaken.get((namespace, name))
                self._remove((namespace, name))
                if told is not None and _uid(told) != uid:
                    self._overtaken[namespace, name] = told  # another deleted that one, which is still to be told

    def _changed(self, item: Object) -> Change | None:
        name = _name(item)
        if self._is_hidden(item):
            return None
        current = self._objects.get(name)
        known = current or self._overtaken.get(name)
        if known is None or _is_newer(_version(item), _version(known)):
            return self._tell(name, current, item)
        if current is None:
            return None  # since then we made another of that name and deleted it
        if _version(item) == _version(current):
            self._overtaken.pop(name, None)
            return None
        return self._tell_overtaken(name, current)

    def _listed(self, item: Object, went_back: bool) -> Change | None:
        """As `_changed`, but what others did just before our own write may have no news of its own in a list."""
        name = _name(item)
        current = self._objects.get(name)
        if went_back:
            self._hidden.pop(_uid(item), None)  # what we deleted is there again
            return self._tell(name, current, item)
        if name in self._overtaken and current is not None and _version(item) == _version(current):
            change = self._tell_overtaken(name, current)
            del self._overtaken[name]
            return change
        return self._changed(item)

    def _deleted(self, item: Object) -> Change | None:
        name = _name(item)
        self._hidden.pop(_uid(item), None)
        current = self._objects.get(name)
        if current is None:
            self._overtaken.pop(name, None)
            return Change(item, None)
        if not _is_newer(_version(current), _version(item)):
            return self._gone(name, current)
        self._overtaken.setdefault(name, item)  # we made another of that name since
        return self._tell_overtaken(name, current)

    def _tell(self, name: _Name, current: Object | None, item: Object) -> Change:
        told = self._overtaken.pop(name, current)
        self._put(name, item)
        return Change(told, item)

    def _tell_overtaken(self, name: _Name, current: Object) -> Change | None:
        """Somebody else did something that our own, newer version hides."""
        told = self._overtaken.get(name, current)
        if told is current:  # that was told already
            return None
        self._overtaken[name] = current
        return Change(told, current)

    def _gone(self, name: _Name, current: Object) -> Change:
        self._remove(name)
        return Change(current, None)

    def _is_hidden(self, item: Object) -> bool:
        """Whether we deleted it, until it is seen to live on. News from before what we knew then shows nothing."""
        deleted = self._hidden.get(_uid(item))
        if deleted is None:
            return False
        is_old = _is_newer(_version(deleted), _version(item))
        if "deletionTimestamp" in item["metadata"] and not is_old:
            del self._hidden[_uid(item)]
            return False
        return True

    def _put(self, name: _Name, item: Object) -> None:
        if (before := self._objects.get(name)) is not None:
            self._take_out_of_index(name, before)
        if (value := self._index(item)) is not None:
            self._indexed.setdefault(value, {})[name] = item
        self._objects[name] = item

    def _remove(self, name: _Name) -> None:
        self._overtaken.pop(name, None)
        self._take_out_of_index(name, self._objects.pop(name))

    def _take_out_of_index(self, name: _Name, item: Object) -> None:
        if (value := self._index(item)) is not None:
            del self._indexed[value][name]
            if not self._indexed[value]:
                del self._indexed[value]


def _name(item: Object) -> _Name:
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]


def _uid(item: Object) -> str:
    return str(item["metadata"].get("uid", ""))


def _version(item: Object) -> str:
    return str(item["metadata"].get("resourceVersion", ""))


def _would_have(scope: Scope, listing: Listing, item: Object) -> bool:
    """Whether a list of that scope has the object if it is there."""
    return scope in (None, _name(item)[0]) and not _is_newer(_version(item), listing.resource_version)


def _is_newer(one: str, other: str) -> bool:
    """Versions that are no numbers can't be compared: then the later one to arrive is believed."""
    if one.isdigit() and other.isdigit():
        return int(one) > int(other)
    return one != other
