"""A Python client at work: `client.py LIBRARY KUBECONFIG OBJECTS`.

Creates, watches, updates, replaces and deletes each object, prints "done", and then how a request ends, twice
a second, until it is stopped.
"""

import json
import sys
import threading
import time

library, kubeconfig, objects_file = sys.argv[1:]
limit = 60


class Kubernetes:
    """The official client; its classes differ between versions, this API does not."""

    def __init__(self):
        from kubernetes import config, dynamic

        self.client = dynamic.DynamicClient(config.new_client_from_config(kubeconfig))

    def of(self, item):
        manifest = item["manifest"]
        return self.client.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])

    def create(self, item):
        self.of(item).create(body=item["manifest"], **where(item))

    def read(self, item):
        return self.of(item).get(name=name(item), **where(item)).to_dict()

    def update(self, item, patch):
        kind = "application/merge-patch+json"
        self.of(item).patch(body=patch, name=name(item), content_type=kind, **where(item))

    def replace(self, item, body):
        self.of(item).replace(body=body, name=name(item), **where(item))

    def delete(self, item):
        self.of(item).delete(name=name(item), **where(item))

    def watch(self, item):
        for event in self.of(item).watch(timeout=limit, **where(item)):
            yield event["type"], event["raw_object"]["metadata"]["name"]

    def ask(self):
        self.client.resources.get(api_version="v1", kind="Namespace").get(name="default")


class Kr8s:
    def __init__(self):
        import kr8s

        self.kr8s = kr8s
        self.api = kr8s.api(kubeconfig=kubeconfig)
        self.kinds = {}

    def kind(self, item):
        manifest = item["manifest"]
        if name(item) not in self.kinds:
            self.kinds[name(item)] = self.kr8s.objects.new_class(
                manifest["kind"],
                manifest["apiVersion"],
                asyncio=False,
                namespaced=item["namespaced"],
                plural=item["plural"],
            )
        return self.kinds[name(item)]

    def made(self, item):
        return self.kind(item)(json.loads(json.dumps(item["manifest"])), api=self.api, **where(item))

    def found(self, item):
        object = self.made(item)
        object.refresh()
        return object

    def create(self, item):
        self.made(item).create()

    def read(self, item):
        return self.found(item).to_dict()

    def update(self, item, patch):
        self.found(item).patch(patch)

    def replace(self, item, body):
        # It has no replacement of its own.
        self.update(item, {"metadata": {"labels": {"updated": None, "replaced": "yes"}}})

    def delete(self, item):
        self.found(item).delete()

    def watch(self, item):
        for kind, found in self.api.watch(self.kind(item), namespace="default"):
            yield kind, found.name

    def ask(self):
        list(self.api.get("namespaces", "default"))


class Lightkube:
    def __init__(self):
        from lightkube import Client, KubeConfig
        from lightkube.generic_resource import create_global_resource, create_namespaced_resource

        self.makers = {True: create_namespaced_resource, False: create_global_resource}
        self.client = Client(KubeConfig.from_file(kubeconfig))
        self.kinds = {}

    def kind(self, item):
        if name(item) not in self.kinds:
            group, _, version = item["manifest"]["apiVersion"].rpartition("/")
            make = self.makers[item["namespaced"]]
            self.kinds[name(item)] = make(group, version, item["manifest"]["kind"], item["plural"])
        return self.kinds[name(item)]

    def create(self, item):
        self.client.create(self.kind(item)(item["manifest"]), **where(item))

    def read(self, item):
        return self.client.get(self.kind(item), name(item), **where(item)).to_dict()

    def update(self, item, patch):
        from lightkube.types import PatchType

        self.client.patch(self.kind(item), name(item), patch, patch_type=PatchType.MERGE, **where(item))

    def replace(self, item, body):
        self.client.replace(self.kind(item)(body), **where(item))

    def delete(self, item):
        self.client.delete(self.kind(item), name(item), **where(item))

    def watch(self, item):
        for kind, found in self.client.watch(self.kind(item), **where(item)):
            yield kind, found.metadata.name

    def ask(self):
        from lightkube.resources.core_v1 import Namespace

        self.client.get(Namespace, "default")


def name(item):
    return item["manifest"]["metadata"]["name"]


def where(item):
    return {"namespace": "default"} if item["namespaced"] else {}


def labels_of(client, item):
    return client.read(item)["metadata"]["labels"]


def replace(client, item):
    """A controller may write the object between the reading and the writing."""
    for remaining in reversed(range(5)):
        version = client.read(item)["metadata"]["resourceVersion"]
        body = json.loads(json.dumps(item["manifest"]))
        body["metadata"].update(resourceVersion=version, labels={"replaced": "yes"})
        try:
            return client.replace(item, body)
        except Exception as error:
            if remaining == 0 or "the object has been modified" not in str(error):
                raise


def work(client, item):
    seen = []
    changed = threading.Condition()

    def follow():
        for kind, found in client.watch(item):
            if found != name(item):
                continue
            with changed:
                seen.append(kind)
                changed.notify_all()
            if kind == "DELETED":
                return

    def sees(kind):
        with changed:
            if not changed.wait_for(lambda: kind in seen, limit):
                raise TimeoutError(f"the watch shows {seen}, and no {kind}")

    threading.Thread(target=follow, daemon=True).start()
    client.create(item)
    sees("ADDED")
    client.update(item, {"metadata": {"labels": {"updated": "yes"}}})
    sees("MODIFIED")
    assert labels_of(client, item)["updated"] == "yes"
    replace(client, item)
    labels = labels_of(client, item)
    assert labels["replaced"] == "yes" and "updated" not in labels, labels
    client.delete(item)
    sees("DELETED")


client = {"kubernetes": Kubernetes, "kr8s": Kr8s, "lightkube": Lightkube}[library]()
with open(objects_file) as file:
    objects = json.load(file)
for item in objects:
    try:
        work(client, item)
    except Exception as error:
        text = f"{type(error).__name__} {str(error)[:500]}".replace("\n", " ")
        print(f"failed {item['plural']}: {text}", flush=True)
print("done", flush=True)
while True:
    try:
        client.ask()
        print("ok", flush=True)
    except Exception as error:
        print(f"refused {type(error).__name__}", flush=True)
    time.sleep(0.5)
