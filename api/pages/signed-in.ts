import { layout, type HtmlPage } from './layout.ts';

/** Where a sign-in ends that nothing waited for. */
export const signedInPage: HtmlPage = layout(
  'Signed in',
  `<main>
<h1>You are signed in</h1>
<p class="lead">Go on in the application that you came from; it knows you now without a password.</p>
</main>`,
  { door: true },
);
