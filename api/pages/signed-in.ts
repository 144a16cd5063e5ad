import { layout, type HtmlPage } from './layout.ts';

/** The page after a sign-in, if no application is waiting for the person. */
export const signedInPage: HtmlPage = layout(
  'Signed in',
  `<main>
<h1>You are signed in</h1>
<p class="lead">Continue in your application. You do not need a password there now.</p>
</main>`,
  { door: true },
);
