namespace Seeded;

internal static class Streams
{
    public static void Send(Stream target, string text)
    {
        using var stream = StreamPool.Shared.Rent("send");
        stream.Write(Encoding.UTF8.GetBytes(text));
        stream.WriteTo(target);
    }

    public static async Task SendAsync(Stream target, string text, CancellationToken cancellationToken)
    {
        await using var stream = StreamPool.Shared.Rent("send");
        stream.Write(Encoding.UTF8.GetBytes(text));
        stream.Position = 0;
        await stream.CopyToAsync(target, cancellationToken);
    }

    public static long Length(string text)
    {
        var stream = StreamPool.Shared.Rent();
        stream.Write(Encoding.UTF8.GetBytes(text));
        var sequence = stream.WrittenSequence;
        var length = sequence.Length;
        stream.Dispose();
        return length;
    }
}

// mutant PH3002: the stream is not disposed
// - using var stream = StreamPool.Shared.Rent("send");
// - stream.Write(Encoding.UTF8.GetBytes(text));
// - stream.WriteTo(target);
// + var stream = [|StreamPool.Shared.Rent("send")|];
// + stream.Write(Encoding.UTF8.GetBytes(text));
// + stream.WriteTo(target);

// mutant PH3002: the stream of an asynchronous method is not disposed
// - await using var stream = StreamPool.Shared.Rent("send");
// + var stream = [|StreamPool.Shared.Rent("send")|];

// mutant PH3003: the sequence is read after the end
// - var length = sequence.Length;
// - stream.Dispose();
// - return length;
// + stream.Dispose();
// + return [|sequence|].Length;

// mutant PH3003: the stream is returned to the caller, and disposed
// - public static long Length(string text)
// - {
// - var stream = StreamPool.Shared.Rent();
// + public static Stream Open(string text)
// + {
// + using var stream = StreamPool.Shared.Rent();
// - var sequence = stream.WrittenSequence;
// - var length = sequence.Length;
// - stream.Dispose();
// - return length;
// + return [|stream|];
