/** What Vite makes of imports that are not code. */
declare module "*.css";
declare module "*.svg?raw" {
  const source: string;
  export default source;
}
