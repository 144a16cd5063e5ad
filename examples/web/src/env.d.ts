interface ImportMetaEnv {
  readonly VITE_SERVICE: string;
  /** The OAuth client that is registered for this page's origin. */
  readonly VITE_CLIENT_ID: string;
}
