/** The object without its undefined fields: under exactOptionalPropertyTypes "absent" must really be absent. */
export function definedOnly<T extends object>(fields: T): Defined<T> {
  // Only keys whose value is undefined are dropped, and those are optional in the result.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
