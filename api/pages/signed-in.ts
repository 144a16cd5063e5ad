import { layout, type HtmlPage } from './layout.ts';

export const signedInPage: HtmlPage = layout(
  'Signed in',
  `<main>
<h1>You are signed in</h1>
<p class="lead">Continue in your application. You do not need a password there now.</p>
</main>`,
  { door: true },
);
