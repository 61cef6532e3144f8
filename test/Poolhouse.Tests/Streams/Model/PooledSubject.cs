
namespace Poolhouse.Tests.Streams.Model;

/// <summary>A pooled stream, whose content is inspected in different ways in turn.</summary>
internal sealed class PooledSubject(PooledStream stream) : Subject(stream)
{
    private const byte Scribble = 0xDD;
    private const int MostScribbled = 200;

    private int _looks;

    public override long Capacity
    {
        get => stream.Capacity;
        set => stream.Capacity = value;
    }

    public override void ReadContent(Span<byte> bytes)
    {
        if (++_looks % 8 == 0)
        {
            var sequence = stream.WrittenSequence;
            Assert.Equal(bytes.Length, sequence.Length);
            System.Buffers.BuffersExtensions.CopyTo(sequence, bytes);
        }
        else
        {
            Assert.Equal(bytes.Length, stream.ReadAt(0, bytes));
        }
    }

    public override byte[] ToArray() => stream.ToArray();

    public override byte[] GetBuffer() => stream.GetBuffer();

    public override bool TryGetBuffer(out ArraySegment<byte> buffer) => stream.TryGetBuffer(out buffer);

    public override void WriteTo(Stream destination) => stream.WriteTo(destination);

    public override void Advance(ReadOnlySpan<byte> data, int hint, bool memory)
    {
        var room = memory ? stream.GetMemory(hint).Span : stream.GetSpan(hint);
        Assert.InRange(room.Length, Math.Max(1, hint), int.MaxValue);

        // A writer may use all it was given, whatever it keeps in the end.
        room[..Math.Min(room.Length, hint + MostScribbled)].Fill(Scribble);
        data.CopyTo(room);
        stream.Advance(data.Length);
    }
}
