/** Divides a budget by need: who needs little leaves the rest to the others, nobody gets more than asked for. */
export function shareBudget(needs: readonly number[], budget: number): readonly number[] {
  const shares = needs.map(() => 0);
  const byNeed = needs.map((need, index) => ({ need, index })).toSorted((a, b) => a.need - b.need);
  let left = Math.max(0, budget);
  byNeed.forEach(({ need, index }, position) => {
    const share = Math.min(need, Math.floor(left / (byNeed.length - position)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}
