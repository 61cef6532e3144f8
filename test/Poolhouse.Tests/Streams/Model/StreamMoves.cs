using FsCheck;
using FsCheck.Fluent;

namespace Poolhouse.Tests.Streams.Model;

/// <summary>Random calls, most of them useful ones.</summary>
internal static class StreamMoves
{
    private const int MostBytes = 1200;

    private static readonly StreamCall[] _streamCalls =
        [.. Enum.GetValues<StreamCall>().Where(call => call < StreamCall.Dispose)];

    private static readonly StreamCall[] _memoryStreamCalls =
        [.. Enum.GetValues<StreamCall>().Where(call => call > StreamCall.Close)];

    private static readonly StreamCall[] _frequent =
        [
            StreamCall.Write, StreamCall.WriteSpan, StreamCall.WriteByte, StreamCall.Read, StreamCall.ReadSpan,
            StreamCall.SetPosition, StreamCall.Seek,
        ];

    private static readonly StreamCall[] _reads =
        [
            StreamCall.Read, StreamCall.ReadSpan, StreamCall.ReadByte, StreamCall.ReadMemoryAsync, StreamCall.SetPosition,
            StreamCall.Seek,
        ];

    private static readonly StreamCall[] _ends = [StreamCall.Dispose, StreamCall.DisposeAsync, StreamCall.Close];

    /// <summary>Calls on a stream that behaves like a memory stream.</summary>
    /// <param name="block">Sizes are often close to this one or to a small multiple of it.</param>
    public static Gen<StreamMove> OfMemoryStreams(int block) => From(
        block, (20, _frequent), (20, _streamCalls), (20, _memoryStreamCalls), (1, _ends));

    /// <summary>Calls that every stream has, where those that write fail.</summary>
    public static Gen<StreamMove> OfReadOnlyStreams(int block) => From(block, (30, _reads), (30, _streamCalls), (1, _ends));

    private static Gen<StreamMove> From(int block, params (int Weight, StreamCall[] Calls)[] calls)
    {
        var sizes = Gen.Frequency(
            (3, Gen.Choose(0, 5)),
            (3, Gen.Choose(block - 2, block + 2)),
            (3, from times in Gen.Choose(2, 5) from off in Gen.Choose(-2, 2) select (times * block) + off),
            (3, Gen.Choose(0, block * 8)),
            (1, Gen.Choose(block * 8, Math.Max(block * 16, MostBytes))));
        var flaws = Gen.Frequency((12, Gen.Constant(Flaw.None)), (1, Gen.Elements(Enum.GetValues<Flaw>())));
        return from call in Gen.Frequency([.. calls.Select(each => (each.Weight, Gen.Elements(each.Calls)))])
               from size in sizes
               from choice in Gen.Choose(0, 5)
               from flaw in flaws
               from cancelled in Gen.Frequency((12, Gen.Constant(false)), (1, Gen.Constant(true)))
               select new StreamMove(call, size, choice, flaw, cancelled);
    }
}
