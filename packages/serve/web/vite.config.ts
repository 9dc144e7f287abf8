import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  plugins: [react()],
  build: { target: 'es2023', chunkSizeWarningLimit: 4000, sourcemap: false, modulePreload: { polyfill: false } },
  server: { proxy: { '/api': 'http://localhost:8080' } },
});
