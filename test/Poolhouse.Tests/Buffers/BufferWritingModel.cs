using System.Buffers;
using FsCheck;
using FsCheck.Fluent;

namespace Poolhouse.Tests.Buffers;

/// <summary>Random calls on a pooled writer and on the framework's, which must show the same after each.</summary>
public sealed class BufferWritingModel
{
    private static readonly Gen<Move> _move =
        from operation in Gen.Frequency(
            (6, Gen.Elements(Operation.WriteSpan, Operation.WriteMemory, Operation.WriteAndRequestMore)),
            (1, Gen.Elements(Operation.Clear, Operation.ResetWrittenCount)),
            (1, Gen.Elements(Operation.AdvanceBack, Operation.AdvanceTooFar, Operation.NegativeHint)))
        from hint in Gen.Frequency((1, Gen.Constant(0)), (6, Gen.Choose(1, 40)), (2, Gen.Choose(1, 3000)))
        from share in Gen.Choose(0, 4)
        select new Move(operation, hint, share);

    [Fact]
    public void A_writer_of_values_behaves_like_ArrayBufferWriter() => CheckAgainstFramework(number => (byte)number);

    [Fact]
    public void A_writer_of_references_behaves_like_ArrayBufferWriter() =>
        CheckAgainstFramework(number => number.ToString(System.Globalization.CultureInfo.InvariantCulture));

    private static void CheckAgainstFramework<T>(Func<int, T> make)
    {
        using var pool = Pools.Make<T>();
        Sequences.Check(_move, moves =>
        {
            var expected = new ArrayBufferWriter<T>(16);
            using var actual = new PooledBufferWriter<T>(16, pool);
            var number = 0;
            foreach (var move in moves)
            {
                var error = Record.Exception(() => Do(move, expected, expected.FreeCapacity, i => make(number + i)));
                Assert.IsType(error?.GetType() ?? typeof(object), Record.Exception(
                    () => Do(move, actual, actual.FreeCapacity, i => make(number + i))) ?? new object());
                number += move.Hint;
                Assert.Equal(expected.WrittenCount, actual.WrittenCount);
                Assert.True(actual.WrittenSpan.SequenceEqual(expected.WrittenSpan));
                Assert.True(actual.WrittenMemory.Span.SequenceEqual(expected.WrittenSpan));
                Assert.Equal(actual.Capacity - actual.WrittenCount, actual.FreeCapacity);
            }

            AssertHandedOver(expected, actual, pool);
        });
    }

    private static void AssertHandedOver<T>(ArrayBufferWriter<T> expected, PooledBufferWriter<T> actual, TieredArrayPool<T> pool)
    {
        using (var buffer = actual.DetachBuffer())
        {
            Assert.True(expected.WrittenSpan.SequenceEqual(buffer.Span));
        }

        Assert.Equal(0, pool.AssertBalanced().Leased);
        Assert.Equal(0, pool.GetStatistics().DoubleReturns);
    }

    private static void Do<T>(Move move, IBufferWriter<T> writer, int free, Func<int, T> make)
    {
        switch (move.Operation)
        {
            case Operation.WriteSpan:
                Write(move, writer, writer.GetSpan(move.Hint), make);
                break;
            case Operation.WriteMemory:
                Write(move, writer, writer.GetMemory(move.Hint).Span, make);
                break;
            case Operation.WriteAndRequestMore:
                Write(move, writer, writer.GetSpan(move.Hint), make, requestsMore: true);
                break;
            case Operation.Clear when writer is PooledBufferWriter<T> pooled:
                pooled.Clear();
                break;
            case Operation.Clear:
                ((ArrayBufferWriter<T>)writer).Clear();
                break;
            case Operation.ResetWrittenCount when writer is PooledBufferWriter<T> pooled:
                pooled.ResetWrittenCount();
                break;
            case Operation.ResetWrittenCount:
                ((ArrayBufferWriter<T>)writer).ResetWrittenCount();
                break;
            case Operation.AdvanceBack:
                writer.Advance(-1 - move.Hint);
                break;
            case Operation.AdvanceTooFar:
                writer.Advance(move.Share == 0 ? int.MaxValue : free + 1 + move.Hint);
                break;
            default:
                writer.GetSpan(-1 - move.Hint);
                break;
        }
    }

    /// <summary>
    /// Writes a part of the requested space, from none to all. It is kept if more is requested before it is advanced over.
    /// </summary>
    private static void Write<T>(
        Move move, IBufferWriter<T> writer, Span<T> room, Func<int, T> make, bool requestsMore = false)
    {
        Assert.InRange(room.Length, Math.Max(1, move.Hint), int.MaxValue);
        var count = move.Hint * move.Share / 4;
        for (var i = 0; i < count; i++)
        {
            room[i] = make(i);
        }

        if (requestsMore)
        {
            writer.GetSpan(2 * move.Hint);
        }

        writer.Advance(count);
    }

    public enum Operation
    {
        WriteSpan,
        WriteMemory,
        WriteAndRequestMore,
        Clear,
        ResetWrittenCount,
        AdvanceBack,
        AdvanceTooFar,
        NegativeHint,
    }

    public readonly record struct Move(Operation Operation, int Hint, int Share);
}
