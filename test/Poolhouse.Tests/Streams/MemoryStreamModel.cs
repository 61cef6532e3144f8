using FsCheck.Fluent;
using Poolhouse.Tests.Buffers;
using Poolhouse.Tests.Streams.Model;

namespace Poolhouse.Tests.Streams;

/// <summary>Random calls on a pooled stream and on the framework's memory stream, which must show the same after each (I23).</summary>
public sealed class MemoryStreamModel
{
    [Fact]
    public void Twins()
    {
        var comparison = new Comparison();
        Sequences.Check(Gen.Elements(16, 64, 1024), block => StreamMoves.OfMemoryStreams(block), (block, moves) =>
        {
            using var a = new MemoryStream();
            using var b = new MemoryStream();
            comparison.Run(moves, new FrameworkSubject(a), new FrameworkSubject(b));
        }, 2000, 300);
        Assert.InRange(comparison.Steps, 100_000, long.MaxValue);
        TestContext.Current.TestOutputHelper!.WriteLine($"{comparison.Steps}");
    }
}
