/** The settings of this page, written by `npm run example`. */
interface ImportMetaEnv {
  /** The address of the Ringfence service. */
  readonly VITE_SERVICE: string;
  /** The id of the OAuth client that is registered for this page's origin. */
  readonly VITE_CLIENT_ID: string;
}
