// Amplitude in metres and phase in degrees (UTC) of the four largest constituents.
export const harbours = {
  husum: { name: 'Husum', mean: 2.31, M2: [1.62, 312], S2: [0.42, 18], N2: [0.26, 288], O1: [0.09, 241] },
  brest: { name: 'Brest', mean: 4.13, M2: [2.05, 109], S2: [0.75, 148], N2: [0.42, 90], O1: [0.07, 324] },
  boston: { name: 'Boston', mean: 1.52, M2: [1.34, 111], S2: [0.22, 147], N2: [0.31, 80], O1: [0.11, 126] },
}
