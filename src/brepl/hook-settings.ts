import type { HookRegistration } from "../install/hook-registration.ts";

const SETTINGS = ".claude/settings.local.json";
/** Seconds that Claude Code gives the hooks together; each has its own time limit in `.brepl/hooks.edn`. */
const STOP_TIMEOUT_SECONDS = 3600;

export function breplHooks(program: string): HookRegistration {
  const stop = `${program} hook stop`;
  const sessionEnd = `${program} hook session-end`;
  return {
    file: SETTINGS,
    hooks: [
      {
        event: "Stop",
        command: stop,
        fields: { type: "command", command: stop, timeout: STOP_TIMEOUT_SECONDS },
      },
      { event: "SessionEnd", command: sessionEnd, fields: { type: "command", command: sessionEnd } },
    ],
    isOurs: isBreplCommand,
    exact: true,
    shape: { eventsKey: "hooks", grouped: true, commandKey: "command", isStrictJson: true },
  };
}

/** `brepl hook …` under either name; `hooks` is the same. */
function isBreplCommand(command: string): boolean {
  return /^\s*(?:agent-gauntlet\s+)?brepl\s+hooks?(?:\s|$)/.test(command);
}

/** What `brepl hook install` writes where there is no `.brepl/hooks.edn` yet. Every example is valid: drop its `#_` to use it. */
export const BREPL_TEMPLATE = `;; Stop hooks: what must hold before the agent may stop.
;;
;; They run one after another, in this order, whenever Claude Code wants to stop (\`brepl hook stop\`).
;;
;; Blocking or not:
;;   :retry-on-failure? true    a failure sends the agent back to work with the output of the hook (exit code 2);
;;                              later hooks wait. After :max-retries times the agent may stop, and you are warned.
;;   :retry-on-failure? false   a failure is reported to you, the agent may stop (exit code 1); later hooks still run.
;;
;; Fields of every hook:
;;   :type               :repl or :bash                                                       (required)
;;   :name               string, how it is called in reports; give each its own               (required)
;;   :retry-on-failure?  true or false, see above                                             (default: false)
;;   :max-retries        how often it may send the agent back; 0 = no limit                   (default: 10)
;;   :required?          true: a hook that cannot run at all is reported to you (exit code 1);
;;                       false: it is skipped                                                 (default: false)
;;   :timeout            seconds, or "90s", "2m", "1h"; a hook that takes longer has failed.
;;                       All hooks together have as long as Claude Code waits: "timeout" in
;;                       .claude/settings.local.json                                          (default: 60)
;;
;; Fields of :repl hooks (evaluated by your running nREPL; port: -p, then .nrepl-port here, then BREPL_PORT):
;;   :code               string or form. An exception is a failure, and so is a clojure.test
;;                       summary with failures or errors                                      (required)
;;
;; Fields of :bash hooks (pass with exit code 0):
;;   :command            string, run by sh                                                    (required)
;;   :cwd                string, working directory                                            (default: ".")
;;   :env                map of string to string, added to the environment                    (default: {})

{:stop
 [;; Run the tests in the REPL and keep the agent working until they are green.
  ;; The REPL knows nothing of changed files until they are loaded; run-tests never throws by itself, so this does.
  #_{:type :repl
     :name "tests"
     :code (do (require '[clojure.test :as t])
               (require 'my.app 'my.app-test :reload)
               (let [{:keys [fail error] :or {fail 0 error 0}} (t/run-tests 'my.app-test)]
                 (when (pos? (+ fail error))
                   (throw (ex-info "tests failed" {:fail fail :error error})))))
     :retry-on-failure? true
     :max-retries 10
     :required? true
     :timeout 120}

  ;; Lint, and only report what it finds.
  #_{:type :bash
     :name "lint"
     :command "clj-kondo --lint src test"
     :retry-on-failure? false
     :required? false
     :timeout 60
     :cwd "."
     :env {"CLJ_KONDO_ENV" "stop-hook"}}
  ]}
`;
