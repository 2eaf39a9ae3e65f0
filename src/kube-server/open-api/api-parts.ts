import type { KindDefinition } from "../api/kind.ts";
import { reviews } from "../api/reviews.ts";
import type { SchemaComponent } from "../api/schema.ts";
import { kindComponent, listComponent, type SharedComponents } from "./components.ts";
import { type ApiPath, groupVersionPath, pathOfReview, pathsOf } from "./operations.ts";
import { reviewComponent } from "./review-components.ts";

/** One resource's part of the documents. */
export interface ApiPart {
  /** `api/v1` */
  readonly groupVersion: string;
  readonly paths: readonly ApiPath[];
  /** Components that these refer to are added automatically. */
  readonly components: readonly SchemaComponent[];
}

/** All resources of a plane's discovery: its kinds and the reviews. */
export function apiParts(kinds: readonly KindDefinition[], shared: SharedComponents): ApiPart[] {
  const ofKinds = kinds.map((kind) => ({
    groupVersion: groupVersionPath(kind),
    paths: pathsOf(kind, shared),
    components: [kindComponent(kind), listComponent(kind), ...sharedBy(kind, shared)],
  }));
  const ofReviews = reviews.map((review) => {
    const component = reviewComponent(review);
    return {
      groupVersion: groupVersionPath(review),
      paths: [pathOfReview(review, component)],
      components: [component],
    };
  });
  return [...ofKinds, ...ofReviews];
}

/** A kind that is only read has no deletions and patches. */
function sharedBy({ fixedObjects }: KindDefinition, shared: SharedComponents): SchemaComponent[] {
  return fixedObjects === undefined ? Object.values(shared) : [shared.watchEvent];
}
