import { z } from "zod";
import { flag, optionalFile, optionalText } from "./fields.ts";

export const tls = (about: string) =>
  z
    .strictObject({
      caFile: optionalFile("CA certificates (PEM) that are trusted besides the system's"),
      certFile: optionalFile("Client certificate (PEM)"),
      keyFile: optionalFile("Key (PEM) of the client certificate"),
      serverName: optionalText(
        "Name that the server's certificate must bear, where it is not the URL's host",
      ),
      insecureSkipVerify: flag("Accept any certificate; for experiments only"),
    })
    .meta({ description: about });
