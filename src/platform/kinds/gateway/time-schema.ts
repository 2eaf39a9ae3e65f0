import {
  integerField,
  objectField,
  type Schema,
  setList,
  textField,
} from "../../../kube-server/api/schema.ts";

/** How long a rule's requests may take, and how often they are tried. */

const duration = (description: string): Schema => ({
  ...textField(description),
  pattern: "^([0-9]{1,5}(h|m|s|ms)){1,4}$",
});

export const timeoutsSchema: Schema = objectField(
  "How long a request may take; 0s: as long as it takes.",
  [],
  {
    request: duration("From the request's first byte to the response's last one."),
    backendRequest: duration("One attempt of a backend; at most `request`."),
  },
);

/** Statuses of responses after which HAProxy can ask again. */
export const retryCodes = [401, 403, 404, 408, 425, 500, 501, 502, 503, 504] as const;

export const retrySchema: Schema = objectField(
  "When a backend is asked again: after a connection that fails, and for GET, HEAD, OPTIONS, PUT and" +
    " DELETE after one that ends or times out without a response, or a response with one of `codes`.",
  [],
  {
    codes: setList(
      { ...integerField("int32", "A status."), minimum: 400, maximum: 599 },
      `Statuses of responses, of ${retryCodes.join(", ")}.`,
      { maxItems: retryCodes.length },
    ),
    attempts: {
      ...integerField("int32", "Requests after the first one, at most. Defaults to 1."),
      minimum: 1,
      maximum: 5,
    },
    backoff: duration("Not supported: the next attempt follows at once."),
  },
);
