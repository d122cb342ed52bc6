import { generic } from "./generic.ts";
import type { Parser } from "./parser.ts";

/** Every parser, the most particular first: a line read by one is not read again by the next. */
export const PARSERS: readonly Parser[] = [generic];
