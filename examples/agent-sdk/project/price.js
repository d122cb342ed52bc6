/** The price with tax, in cents. */
export function withTax(cents, rate) {
  return cents + rate;
}
