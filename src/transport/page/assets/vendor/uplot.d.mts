declare const Chart: new (options: any, data: any, into: Element) => any;
export default Chart;
