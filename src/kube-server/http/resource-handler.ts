import type { Clock } from "../../base/core/clock.ts";
import { cloneJson, type Json, type KubeObject } from "../api/object.ts";
import { readBoolean } from "../api/query-values.ts";
import {
  badRequest,
  methodNotAllowed,
  notFound,
  pathNotFound,
  readMethods,
  StatusError,
  tooLargeResourceVersion,
} from "../api/status.ts";
import { decodeBody } from "../encoding/body.ts";
import { checkDecoding, dropUnknownFields, readObject } from "../resources/admission.ts";
import { readDeleteOptions } from "../resources/delete-options.ts";
import { deleteObject } from "../resources/deletion.ts";
import { fixedList, fixedObjects } from "../resources/fixed-objects.ts";
import {
  checkVersion,
  type ListedObject,
  type ListPart,
  list,
  readListOptions,
  readSelectors,
  type Selection,
} from "../resources/list.ts";
import { countValues, yieldIfLong } from "../resources/object-size.ts";
import {
  applyType,
  checkName,
  checkPatchType,
  readApply,
  readPatch,
  unfitIfStrict,
  versionRequired,
} from "../resources/patching.ts";
import type { NewState, Resources, WriteResult } from "../resources/resources.ts";
import type { WriteOptions } from "../resources/target.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { type ApiResponse, deletedStatus, listBody, objectBody, readForm } from "./api-response.ts";
import type { ListRoom } from "./list-room.ts";
import { mediaType, patchTypeOf } from "./negotiate.ts";
import { type ResourceRequest, readWriteOptions, targetOf } from "./request.ts";

export interface ResourceContext {
  readonly store: ObjectStore;
  readonly resources: Resources;
  readonly clock: Clock;
  readonly listRoom: ListRoom;
}

/** Serves all requests for resources except watches. Throws errors as StatusError. */
export async function handleResource(
  context: ResourceContext,
  request: ResourceRequest,
): Promise<ApiResponse> {
  // Negotiate the response before writing: a request that cannot get one must have no effect.
  readForm(request);
  const { path, kind, method } = request;
  if (kind.fixedObjects !== undefined && method !== "GET") throw methodNotAllowed(readMethods);
  if (path.subresource !== undefined) {
    if (path.subresource !== "status" || !kind.statusSubresource) throw pathNotFound();
    if (method === "POST" || method === "DELETE") throw methodNotAllowed([...readMethods, "PUT", "PATCH"]);
  }
  if (path.name === undefined) {
    if (method === "GET") return await listResponse(context, request);
    if (method === "POST") return await create(context, request);
    const isDeletable = kind.deletedOneByOne !== true;
    if (method === "DELETE" && isDeletable) return await deleteCollection(context, request);
    throw methodNotAllowed([...readMethods, "POST", ...(isDeletable ? ["DELETE"] : [])]);
  }
  switch (method) {
    case "GET":
      return await read(context, request);
    case "PUT":
      return await update(context, request);
    case "PATCH":
      return await patch(context, request);
    case "DELETE":
      return await deleteOne(context, request);
    default:
      throw methodNotAllowed([...readMethods, "PUT", "PATCH", "DELETE"]);
  }
}

export function selectionOf(request: ResourceRequest): Selection {
  const { plane, kind, path, query } = request;
  return { plane, kind, namespace: path.namespace, selector: readSelectors(query, kind) };
}

function objectResponse(
  { clock }: ResourceContext,
  request: ResourceRequest,
  code: number,
  object: KubeObject,
  warnings: readonly string[] = [],
): ApiResponse {
  const form = readForm(request);
  const body = objectBody(object, request.kind, form, clock.nowMs());
  return { code, body, encoding: form.encoding, warnings };
}

async function read(context: ResourceContext, request: ResourceRequest): Promise<ApiResponse> {
  const version = request.query.get("resourceVersion") ?? "";
  checkVersion(version);
  const object = await found(context, request);
  // Reads always return the newest state; a version that does not exist yet cannot be awaited.
  const newest = Number(version) > 0 ? await context.store.newestVersion(request.plane) : undefined;
  if (newest !== undefined && Number(version) > Number(newest))
    throw tooLargeResourceVersion(version, newest);
  return objectResponse(context, request, 200, object);
}

async function found(context: ResourceContext, request: ResourceRequest): Promise<KubeObject> {
  const { kind, path, plane } = request;
  const fixed = await fixedObjects(context.store, plane, kind);
  if (fixed === undefined) return await context.resources.get(targetOf(request));
  const object = fixed.find(({ metadata }) => metadata.name === path.name);
  if (object === undefined) throw notFound(kind, path.name ?? "");
  return object;
}

async function listResponse(context: ResourceContext, request: ResourceRequest): Promise<ApiResponse> {
  const { kind, query } = request;
  const form = readForm(request);
  const selection = selectionOf(request);
  const parts =
    kind.fixedObjects === undefined
      ? context.listRoom.hold(
          list(context.store, selection, readListOptions(query)),
          request.plane.organization,
          request.onOver,
        )
      : fixedList(context.store, selection);
  // Read the first page before sending anything, so that an error can still become a Status.
  const first = await parts.next();
  const all = withFirst(first, parts);
  return { code: 200, body: listBody(all, kind, form, context.clock.nowMs()), encoding: form.encoding };
}

async function* withFirst(
  first: IteratorResult<ListPart>,
  rest: AsyncIterable<ListPart>,
): AsyncGenerator<ListPart> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

/** Reads the object in the body, with warnings about its encoding. */
async function readBody(
  request: ResourceRequest,
  { fieldValidation }: WriteOptions,
): Promise<{ readonly object: KubeObject; readonly doubts: readonly string[] }> {
  const { kind } = request;
  await yieldIfLong(request.body);
  const { value, duplicates } = decodeBody(request.body, mediaType(request.contentType));
  countValues(value);
  await yieldIfLong(request.body);
  const doubts = checkDecoding(duplicates, kind, fieldValidation);
  const object = readObject(value, kind);
  const { namespace } = object.metadata;
  const { path } = request;
  if (typeof namespace === "string" && namespace !== "" && namespace !== (path.namespace ?? "")) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return { object, doubts };
}

async function create(context: ResourceContext, request: ResourceRequest): Promise<ApiResponse> {
  if (request.kind.namespaced && request.path.namespace === undefined) throw methodNotAllowed(readMethods);
  const options = readWriteOptions(request);
  const { object, doubts } = await readBody(request, options);
  const target = { ...targetOf(request), name: object.metadata.name ?? "" };
  const result = await warned(request, options, { object, doubts }, () =>
    context.resources.create(target, object, undefined, options),
  );
  return writeResponse(context, request, result, doubts);
}

/** A refusal has the warnings about what was sent, too. */
async function warned<T>(
  { kind }: ResourceRequest,
  { fieldValidation }: WriteOptions,
  { object, doubts }: { readonly object: KubeObject; readonly doubts: readonly string[] },
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StatusError && fieldValidation === "Warn") {
      error.warnings = [...doubts, ...dropUnknownFields(cloneJson(object), kind, fieldValidation)];
    }
    throw error;
  }
}

/** @param doubts warnings about the request, shown before those about the object */
function writeResponse(
  context: ResourceContext,
  request: ResourceRequest,
  result: WriteResult,
  doubts: readonly string[],
): ApiResponse {
  const code = result.created ? 201 : 200;
  return objectResponse(context, request, code, result.object, [...doubts, ...result.warnings]);
}

async function update(context: ResourceContext, request: ResourceRequest): Promise<ApiResponse> {
  const { kind } = request;
  const options = readWriteOptions(request);
  const { object, doubts } = await readBody(request, options);
  const target = targetOf(request);
  const whole = (): NewState => {
    if (!kind.builtIn && ["", "0"].includes(object.metadata.resourceVersion ?? "")) {
      throw versionRequired(kind, target.name);
    }
    return { object, isWhole: true };
  };
  const result = await warned(request, options, { object, doubts }, async () => {
    checkName(object.metadata.name ?? "", target.name);
    return await context.resources.change(target, whole, options);
  });
  return writeResponse(context, request, result, doubts);
}

async function patch(context: ResourceContext, request: ResourceRequest): Promise<ApiResponse> {
  const { query } = request;
  const type = patchTypeOf(request.contentType);
  checkPatchType(type, request.kind);
  const options = readWriteOptions(request);
  const target = targetOf(request);
  if (type !== applyType) {
    const read = () => readPatch(request.body, type, target, options);
    try {
      const { change, doubts } = await orNotFound(context, request, read);
      const result = await context.resources.change(target, change, options);
      return writeResponse(context, request, result, doubts);
    } catch (error) {
      throw unfitIfStrict(error, target);
    }
  }
  const now = new Date(context.clock.nowMs()).toISOString().replace(/\.\d+Z$/, "Z");
  const force = readBoolean(query, "force") === true;
  const read = () => readApply(request.body, target, force, options, now);
  const apply = await (options.subresource === "" ? read() : orNotFound(context, request, read));
  const change = (old: KubeObject) => apply.change(old);
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await context.resources.change(target, change, options);
      return writeResponse(context, request, result, apply.doubts);
    } catch (error) {
      if (!isReason(error, "NotFound") || options.subresource !== "") throw error;
    }
    // An object that does not exist is created; the applier owns its fields.
    const { object, managers } = await apply.create();
    try {
      const result = await context.resources.create(target, object, managers, options);
      return writeResponse(context, request, result, apply.doubts);
    } catch (error) {
      if (!isReason(error, "AlreadyExists") || attempt >= 5) throw error;
    }
  }
}

/** Reads a change of an object; without the object, its faults do not matter. */
async function orNotFound<T>(
  { resources }: ResourceContext,
  request: ResourceRequest,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isBadRequest(error)) await resources.get(targetOf(request));
    throw error;
  }
}

function isBadRequest(error: unknown): boolean {
  return error instanceof StatusError && error.status.code === 400;
}

function isReason(error: unknown, reason: string): boolean {
  return (
    error instanceof StatusError && error.status.reason === reason && error.status.details?.name !== undefined
  );
}

async function deleteOne(context: ResourceContext, request: ResourceRequest): Promise<ApiResponse> {
  const target = targetOf(request);
  const options = readDeleteOptions(optionalBody(request), request.query);
  const result = await deleteObject(context.resources, target, options, context.clock.nowMs());
  if (result.state === "deleting") return objectResponse(context, request, 200, result.object);
  return {
    code: 200,
    body: deletedStatus(request.kind, result.object),
    encoding: readForm(request).encoding,
  };
}

function optionalBody({ body, contentType }: ResourceRequest): Json | undefined {
  return body.length === 0 ? undefined : decodeBody(body, mediaType(contentType)).value;
}

/** Deletes the objects that a list would return, and responds with that list. */
async function deleteCollection(context: ResourceContext, request: ResourceRequest): Promise<ApiResponse> {
  const { kind, plane, query, path } = request;
  if (kind.namespaced && path.namespace === undefined) throw methodNotAllowed(readMethods);
  const form = readForm(request);
  const options = readDeleteOptions(optionalBody(request), query);
  // Kept as text, which takes far less memory than objects: the plane's quota bounds it.
  const objects: ListedObject[] = [];
  let resourceVersion = "";
  for await (const part of list(context.store, selectionOf(request), readListOptions(query))) {
    resourceVersion = part.resourceVersion;
    for (const listed of part.objects) {
      const { namespace = "", name = "" } = listed.object().metadata;
      if (kind.undeletable?.includes(name) === true) continue;
      try {
        const target = { plane, kind, namespace, name };
        const { object } = await deleteObject(context.resources, target, options, context.clock.nowMs());
        const json = JSON.stringify(object);
        objects.push({ json, object: () => JSON.parse(json) as KubeObject });
      } catch (error) {
        // Already deleted by someone else, which is the requested result.
        if (!isReason(error, "NotFound")) throw error;
      }
    }
  }
  const parts = onePart({ resourceVersion, objects, end: {} });
  return { code: 200, body: listBody(parts, kind, form, context.clock.nowMs()), encoding: form.encoding };
}

async function* onePart(part: ListPart): AsyncGenerator<ListPart> {
  yield part;
}
