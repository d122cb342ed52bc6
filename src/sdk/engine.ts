/** Large, and most who import the library ask for statuses and types. */
export const loadEngine = () => import("../run/run-and-record.ts");
