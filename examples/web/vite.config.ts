import { resolve } from 'node:path';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  // The client and the service's style sheet are in folders of the parent project.
  server: { port: 5173, strictPort: true, fs: { allow: [resolve(import.meta.dirname, '../..')] } },
});
