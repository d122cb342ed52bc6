/** Does one work after another, whatever came of the one before: its own caller hears of that. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let before: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = before.then(work);
    before = turn.catch(() => {});
    return turn;
  };
}
