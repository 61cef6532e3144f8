
namespace Poolhouse.Samples.StreamsApi;

/// <summary>Takes a file in, up to a limit, and answers with its hash.</summary>
internal static class Upload
{
    public const int LongestFile = 1 << 20;

    private const int Piece = 4096;

    public static async Task<IResult> HashAsync(HttpRequest request, StreamPool streams, CancellationToken aborted)
    {
        if (request.ContentLength > LongestFile)
        {
            return Results.StatusCode(StatusCodes.Status413PayloadTooLarge);
        }

        // Returned on every path: answered, rejected, aborted.
        await using var file = streams.Rent("upload", sizeHint: request.ContentLength ?? 0);
        while (await request.Body.ReadAsync(file.GetMemory(Piece), aborted) is var count and > 0)
        {
            if (file.Length + count > LongestFile)
            {
                return Results.StatusCode(StatusCodes.Status413PayloadTooLarge);
            }

            file.Advance(count); // read straight into the blocks
        }

        return Results.Ok(new Receipt(file.Length, Fingerprint.Of(file.WrittenSequence)));
    }
}
