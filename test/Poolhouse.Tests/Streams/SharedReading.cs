using System.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>Several threads read one stream at the same time, and none writes.</summary>
[Collection(nameof(Alone))]
public sealed class SharedReading
{
    private const int Rounds = 3_000;

    [Fact]
    public void Threads_that_create_views_of_a_stream_at_the_same_time_see_its_content()
    {
        var stream = StreamPools.Make().Rent();
        var content = StreamPools.Bytes(300);
        var (start, finish) = (new SpinBarrier(), new SpinBarrier());
        var failures = new Exception?[2];
        Threads.Run(2, number =>
        {
            for (var round = 0; round < Rounds; round++)
            {
                if (number == 0)
                {
                    // Of a pool of its own: a stream that was used before has segments already.
                    stream = StreamPools.Make().Rent();
                    foreach (var value in content)
                    {
                        stream.WriteByte(value);
                    }
                }

                start.Wait();
                Thread.SpinWait(round % (number == 0 ? 5 : 7));
                failures[number] ??= Record.Exception(() =>
                {
                    Assert.Equal(content, stream.WrittenSequence.ToArray());
                    using var view = stream.AsReadOnly();
                    var seen = new byte[content.Length];
                    view.ReadExactly(seen);
                    Assert.Equal(content, seen);
                });
                finish.Wait();
            }
        });

        Assert.All(failures, Assert.Null);
    }
}
