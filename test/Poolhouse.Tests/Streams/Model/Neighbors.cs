using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams.Model;

/// <summary>
/// Other users of the same pools: they hold every block that a stream gave up, with <see cref="Mark"/> in each byte, so that a
/// byte of theirs is recognized wherever it shows, and a byte written into their memory is missed.
/// </summary>
internal sealed class Neighbors(TieredArrayPool<byte> arrays, StreamPool streams)
{
    /// <summary>The content of every byte of theirs. No test writes it into a stream of its own.</summary>
    public const byte Mark = 0xFE;

    private const int ArraysOfEachLength = 6;
    private const int ShortestPower = 4;
    private const int Powers = 10;

    private readonly List<byte[]> _arrays = [];
    private readonly List<PooledStream> _streams = [];

    /// <summary>Rents every idle block and two streams, and marks them.</summary>
    public void MoveIn()
    {
        foreach (var power in Enumerable.Range(ShortestPower, Powers))
        {
            _arrays.AddRange(arrays.RentMany(ArraysOfEachLength, 1 << power));
        }

        _arrays.ForEach(array => Array.Fill(array, Mark));
        var content = new byte[300];
        Array.Fill(content, Mark);
        _streams.Add(streams.RentWith(content));
        _streams.Add(streams.RentWith(content));
    }

    /// <summary>Returns everything, full of marks.</summary>
    public void MoveOut()
    {
        AssertUntouched();
        arrays.ReturnAll(_arrays);
        _arrays.Clear();
        _streams.ForEach(stream => stream.Dispose());
        _streams.Clear();
    }

    public void AssertUntouched()
    {
        Assert.All(_arrays, array => AssertAllMarks(array));
        Assert.All(_streams, stream => AssertAllMarks(stream.ToArray()));
    }

    public static void AssertNothingOfThemIn(ReadOnlySpan<byte> visible, string where)
    {
        var index = visible.IndexOf(Mark);
        Assert.True(index < 0, $"{where} shows byte {index} of {visible.Length} with another user's content.");
    }

    private static void AssertAllMarks(ReadOnlySpan<byte> bytes)
    {
        var index = bytes.IndexOfAnyExcept(Mark);
        Assert.True(index < 0, $"A byte was written into another user's memory, at {index} of {bytes.Length}.");
    }
}
