namespace Poolhouse.Tests.Streams.Model;

/// <summary>Executes the calls of a random sequence.</summary>
internal static partial class StreamPlay
{
    private const byte Untouched = 0xEE;

    public static string Do(StreamMove move, Subject subject)
    {
        var outcome = move.Call switch
        {
            <= StreamCall.ReadAtLeastAsync => Read(move, subject.Stream),
            <= StreamCall.BeginWrite => Write(move, subject.Stream),
            <= StreamCall.Close => Manage(move, subject),
            _ => DoAsMemoryStream(move, subject),
        };
        subject.IsEnded |= move.EndsTheStream;
        return outcome;
    }

    private static string Read(StreamMove move, Stream stream)
    {
        var (array, offset, count) = Arguments(move, Enumerable.Repeat(Untouched, move.Size + (2 * move.Choice)).ToArray());
        var whole = array.AsMemory();
        return move.Call switch
        {
            StreamCall.Read => Outcome.Of(() => Shown(stream.Read(array!, offset, count))),
            StreamCall.ReadSpan => Outcome.Of(() => Shown(stream.Read(array))),
            StreamCall.ReadByte => Outcome.Of(() => $"{stream.ReadByte()}"),
            StreamCall.ReadAsync => Outcome.OfTask(() => stream.ReadAsync(array!, offset, count, move.Token), Shown),
            StreamCall.ReadMemoryAsync => Outcome.OfTask(() => stream.ReadAsync(whole, move.Token).AsTask(), Shown),
            StreamCall.BeginRead => Asynchronous(
                (callback, state) => stream.BeginRead(array!, offset, count, callback, state),
                result => Shown(stream.EndRead(result))),
            StreamCall.ReadExactly => Outcome.Of(() => stream.ReadExactly(array!, offset, count)) + Shown(0),
            StreamCall.ReadExactlySpan => Outcome.Of(() => stream.ReadExactly(array)) + Shown(0),
            StreamCall.ReadExactlyAsync => Outcome.OfTask(() => stream.ReadExactlyAsync(whole, move.Token).AsTask()) + Shown(0),
            StreamCall.ReadAtLeast => Outcome.Of(
                () => Shown(stream.ReadAtLeast(array, count - move.Choice, throwOnEndOfStream: move.Choice % 2 == 0))) + Shown(0),
            _ => Outcome.OfTask(
                () => stream.ReadAtLeastAsync(whole, count - move.Choice, move.Choice % 2 == 0, move.Token).AsTask(),
                Shown) + Shown(0),
        };

        string Shown(int read) => $"{read} of {Outcome.Show(array)}";
    }

    private static string Write(StreamMove move, Stream stream)
    {
        var (array, offset, count) = Arguments(move, move.Data(move.Choice, move.Choice));
        var part = move.Flaw == Flaw.None ? array.AsMemory(offset, count) : array;
        return move.Call switch
        {
            StreamCall.Write => Outcome.Of(() => stream.Write(array!, offset, count)),
            StreamCall.WriteSpan => Outcome.Of(() => stream.Write(part.Span)),
            StreamCall.WriteByte => Outcome.Of(() => stream.WriteByte((byte)(1 + (move.Size % 255)))),
            StreamCall.WriteAsync => Outcome.OfTask(() => stream.WriteAsync(array!, offset, count, move.Token)),
            StreamCall.WriteMemoryAsync => Outcome.OfTask(() => stream.WriteAsync(part, move.Token).AsTask()),
            _ => Asynchronous((callback, state) => stream.BeginWrite(array!, offset, count, callback, state), result =>
            {
                stream.EndWrite(result);
                return "done";
            }),
        };
    }

    private static (byte[]? Array, int Offset, int Count) Arguments(StreamMove move, byte[] array) => move.Flaw switch
    {
        Flaw.Missing => (null, move.Choice, move.Size),
        Flaw.NegativeOffset => (array, -1 - move.Choice, move.Size),
        Flaw.NegativeCount => (array, move.Choice, -1 - move.Size),
        Flaw.BeyondTheBuffer => (array, move.Choice, array.Length - move.Choice + 1),
        Flaw.Overflow => (array, int.MaxValue - move.Choice, int.MaxValue),
        _ => (array, move.Choice, move.Size),
    };

    /// <summary>The Begin and End calls; the state is kept and the callback is called.</summary>
    private static string Asynchronous(Func<AsyncCallback, object, IAsyncResult> begin, Func<IAsyncResult, string> end)
    {
        IAsyncResult? result = null;
        using var called = new ManualResetEventSlim();
        var state = new object();
        var start = Outcome.Of(() =>
        {
            result = begin(_ => called.Set(), state);
            return "begun";
        });
        if (result is null)
        {
            return start;
        }

        Assert.True(called.Wait(Background.Limit), "The callback was not called.");
        Assert.Same(state, result.AsyncState);
        return Outcome.Of(() => end(result));
    }
}
