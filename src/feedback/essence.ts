import { cleanText } from "./clean-text.ts";

/** What is left of an output when everything that differs from run to run is taken out: two failures with the same essence are the same. */
export function essenceOf(text: string): string {
  return cleanText(text)
    .replaceAll(/\b0x[0-9a-f]+\b/gi, "0x")
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "uuid")
    .replaceAll(/\/tmp\/\S+/g, "/tmp")
    .replaceAll(/\d+(?:[.,:]\d+)*/g, "0");
}
