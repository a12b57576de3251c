/** A column of numbers that holds what a shorter one held. */
export function grownColumn<Column extends Int32Array | Float64Array>(longer: Column, column: Column): Column {
  longer.set(column);
  return longer;
}
