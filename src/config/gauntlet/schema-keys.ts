import * as z from "zod";

/** The keys a schema knows at a path inside it; for suggestions. */
export function keysAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return keysAt(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => keysAt(option, path));
  const [step, ...rest] = path;
  if (schema instanceof z.ZodObject)
    return step === undefined ? Object.keys(schema.shape) : keysAt(schema.shape[String(step)], rest);
  if (step === undefined) return [];
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest);
  return schema instanceof z.ZodRecord ? keysAt(schema.valueType, rest) : [];
}
