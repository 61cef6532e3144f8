using System.Buffers;
using FsCheck;
using FsCheck.Fluent;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams.Model;

/// <summary>Random calls on a read-only stream and on the framework's, which must show the same after each.</summary>
public sealed class ReadOnlyModel
{
    private const int Tests = 1_000;
    private const int Longest = 300;
    private const int LeastSteps = 50_000;

    private static readonly Gen<int[]> _pieces = Gen.Choose(0, 40).ArrayOf();

    private readonly StreamPool _pool = StreamPools.Make(change: options => options.MaxLength = int.MaxValue);
    private readonly Comparison _comparison = new();

    [Fact]
    public void A_read_only_view_behaves_like_a_read_only_MemoryStream() => Check((pieces, moves) =>
    {
        var content = StreamPools.Bytes(pieces.Sum());
        using var stream = _pool.RentWith(content);
        using var view = stream.AsReadOnly();
        Compare(content, view, moves);
    });

    [Fact]
    public void A_stream_over_a_sequence_behaves_like_a_read_only_MemoryStream() => Check((pieces, moves) =>
    {
        var content = StreamPools.Bytes(pieces.Sum());
        using var stream = new SequenceStream(Segments.Cut(content, pieces));
        Compare(content, stream, moves);
    });

    private void Check(Action<int[], StreamMove[]> compare)
    {
        Sequences.Check(_pieces, _ => StreamMoves.OfReadOnlyStreams(30), compare, Tests, Longest);

        TestContext.Current.TestOutputHelper!.WriteLine($"{_comparison.Steps:N0} calls");
        Assert.InRange(_comparison.Steps, LeastSteps, long.MaxValue);
    }

    private void Compare(byte[] content, Stream actual, StreamMove[] moves)
    {
        using var expected = new MemoryStream(content, writable: false);
        _comparison.Run(moves, new FrameworkSubject(expected, content), new PlainSubject(actual));
    }
}
