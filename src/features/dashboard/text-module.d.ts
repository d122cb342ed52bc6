/** A file that the bundlers take in as text. */
declare module "*.txt" {
  const text: string;
  export default text;
}
