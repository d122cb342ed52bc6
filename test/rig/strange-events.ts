import * as fc from "fast-check";

const FIELDS = [
  "session_id",
  "cwd",
  "hook_event_name",
  "stop_hook_active",
  "prompt_id",
  "background_tasks",
  "permission_mode",
  "turn_id",
  "prompt_response",
  "__proto__",
  "loop_count",
];

const strange = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom("Stop", "AfterAgent", "agentStop", "/", "..", "\0", "plan", true, false, "9".repeat(5000)),
);
const event = fc.dictionary(fc.constantFrom(...FIELDS), strange).map((fields) => JSON.stringify(fields));
const mutated = fc
  .tuple(event, fc.nat(), fc.string({ maxLength: 3 }))
  .map(
    ([text, at, extra]) =>
      text.slice(0, at % (text.length + 1)) + extra + text.slice((at % (text.length + 1)) + 1),
  );
const binary = fc.array(fc.nat(0xff_ff)).map((units) => String.fromCharCode(...units));
/** Events as no agent sends them, and texts that are no events. */
export const strangeEvents = fc.oneof(event, mutated, fc.string(), fc.json(), binary);
