/** High and low half of the 64 bits of Prometheus' staleness marker (model/value/value.go). */
export const staleNanHigh = 0x7ff00000;
export const staleNanLow = 0x00000002;
