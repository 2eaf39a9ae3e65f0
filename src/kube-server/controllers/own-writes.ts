import { type Json, type KubeObject, sameJson } from "../api/object.ts";

/**
 * Whether a change is only this controller's own report: nothing but the status has changed, and nobody else
 * writes it. It has no need to look at the object again.
 *
 * @param manager the controller's field manager
 */
export function isOwnReport(object: KubeObject, old: KubeObject, manager: string): boolean {
  const managers = object.metadata.managedFields ?? [];
  const isOwn = managers.every((each) => each["subresource"] !== "status" || each["manager"] === manager);
  return isOwn && sameJson(withoutReport(object), withoutReport(old));
}

/** Whether an object is new, and this controller has created it. */
export function isOwnCreation(
  object: KubeObject | undefined,
  old: KubeObject | undefined,
  manager: string,
): boolean {
  const managers = object?.metadata.managedFields ?? [];
  return object !== undefined && old === undefined && managers.every((each) => each["manager"] === manager);
}

function withoutReport({ status: _, metadata, ...rest }: KubeObject): Json {
  const { managedFields: __, resourceVersion: ___, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
