"""Herbarium 2022: pressed plants; of each species a fifth is held back, and all pictures are renamed. v2: the same."""

from collections import defaultdict
from itertools import count

from preparers.toolkit import Dataset, number_answers, split_pictures, with_pairs, write_pretty


def prepare(data: Dataset) -> None:
    document = data.raw.json("train_metadata.json")
    train, test = split_pictures(document, test=0.2, rare="split", image_id="image_id")

    numbers: defaultdict[int, count[int]] = defaultdict(lambda: count(1))
    renamed = []
    for annotation, image in train:
        category = annotation["category_id"]
        new_id = f"{category:05d}__{next(numbers[category]):03d}"
        name = f"{category // 100:03d}/{category % 100:02d}/{new_id}.jpg"
        renamed.append(({**annotation, "image_id": new_id}, {**image, "image_id": new_id, "file_name": name}))
    data.public.take(
        (f"train_images/{new['file_name']}", f"train_images/{old['file_name']}")
        for (_, new), (_, old) in zip(renamed, train, strict=True)
    )
    write_pretty(data.public.path("train_metadata.json"), with_pairs(document, renamed))

    names = [f"{number // 1000:03d}/test-{number:06d}.jpg" for number in range(len(test))]
    data.public.take(
        (f"test_images/{name}", f"train_images/{image['file_name']}")
        for name, (_, image) in zip(names, test, strict=True)
    )
    test_images = [
        {**image, "image_id": str(number), "file_name": name}
        for number, (name, (_, image)) in enumerate(zip(names, test, strict=True))
    ]
    write_pretty(data.public.path("test_metadata.json"), test_images)
    number_answers(data, test, fill=42)
