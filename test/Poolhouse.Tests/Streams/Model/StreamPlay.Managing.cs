namespace Poolhouse.Tests.Streams.Model;

/// <summary>The calls that neither read nor write.</summary>
internal static partial class StreamPlay
{
    /// <summary>Where a stream that is copied onto itself is long enough.</summary>
    private const int LongestCopiedOntoItself = 8192;

    private static string Manage(StreamMove move, Subject subject)
    {
        var stream = subject.Stream;
        switch (move.Call)
        {
            case StreamCall.Seek:
                return Seek(move, stream);
            case StreamCall.SetPosition:
                return Outcome.Of(() => stream.Position = Near(move));
            case StreamCall.SetLength:
                return Outcome.Of(() => stream.SetLength(stream.CanWrite ? Far(move) : Near(move)));
            case StreamCall.CopyTo:
                return Copy(move, (destination, size) => Outcome.Of(() => stream.CopyTo(destination, size)));
            case StreamCall.CopyToAsync:
                return Copy(move, (destination, size) => Outcome.OfTask(() => stream.CopyToAsync(destination, size, move.Token)));
            case StreamCall.CopyToItself:
                return IsShort(stream) ? Outcome.Of(() => stream.CopyTo(stream)) : "left out";
            case StreamCall.Flush:
                return Outcome.Of(stream.Flush);
            case StreamCall.FlushAsync:
                return Outcome.OfTask(() => stream.FlushAsync(move.Token));
            case StreamCall.Timeouts:
                return Outcome.Of(() => $"{stream.ReadTimeout}") + Outcome.Of(() => $"{stream.WriteTimeout}")
                    + Outcome.Of(() => stream.ReadTimeout = move.Size) + Outcome.Of(() => stream.WriteTimeout = move.Size);
            case StreamCall.Dispose:
                return Outcome.Of(stream.Dispose);
            case StreamCall.DisposeAsync:
                return Outcome.OfTask(() => stream.DisposeAsync().AsTask());
            default:
                return Outcome.Of(stream.Close);
        }
    }

    private static string Seek(StreamMove move, Stream stream)
    {
        var origin = (SeekOrigin)(move.Choice % 4);
        var offset = move.Flaw == Flaw.None && origin is SeekOrigin.Current or SeekOrigin.End
            ? (move.Size / 4) - move.Choice
            : Near(move);
        return Outcome.Of(() => $"{stream.Seek(offset, origin)}");
    }

    /// <summary>Not beyond 2 GiB, the maximum length of a memory stream.</summary>
    private static long Near(StreamMove move) => Math.Min(Far(move), move.Size);

    /// <summary>Also where only an open stream can know whether it is too far.</summary>
    private static long Far(StreamMove move) => move.Flaw switch
    {
        Flaw.None => move.Size,
        Flaw.Missing => long.MaxValue,
        Flaw.NegativeOffset => -1 - move.Size,
        Flaw.NegativeCount => long.MinValue,
        Flaw.BeyondTheBuffer => (long)int.MaxValue + 1 + move.Size,
        _ => 1L << 62,
    };

    private static string Copy(StreamMove move, Func<Stream, int, string> copy)
    {
        using var target = new MemoryStream();
        Stream? destination = move.Choice switch
        {
            0 => null,
            1 => new MemoryStream([], writable: false),
            2 => new RefusingStream(),
            _ => target,
        };
        using (destination)
        {
            if (move.Choice == 3)
            {
                target.Dispose();
            }

            var size = move.Flaw switch
            {
                Flaw.NegativeCount or Flaw.NegativeOffset => -move.Size,
                Flaw.Missing => 0,
                _ => 1 + move.Size,
            };
            return copy(destination!, size) + Outcome.Show(target.ToArray());
        }
    }

    private static bool IsShort(Stream stream) => !stream.CanSeek || stream.Length <= LongestCopiedOntoItself;
}
