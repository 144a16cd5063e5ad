/** The whole of echarts in one file: a tenth of the time that its hundreds of modules take to load. */
declare module 'echarts/dist/echarts.esm.min.mjs' {
  export * from 'echarts';
}
