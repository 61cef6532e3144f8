namespace Poolhouse.Tests.Streams.Model;

/// <summary>A stream under test, and the operations that not every stream supports.</summary>
internal abstract class Subject(Stream stream)
{
    public Stream Stream => stream;

    public bool IsEnded { get; set; }

    /// <summary>Fills the span with the content of the stream from its start. The position does not change.</summary>
    public abstract void ReadContent(Span<byte> content);

    public virtual byte[] ToArray() => throw new NotSupportedException();

    public virtual byte[] GetBuffer() => throw new NotSupportedException();

    public virtual bool TryGetBuffer(out ArraySegment<byte> buffer) => throw new NotSupportedException();

    public virtual void WriteTo(Stream destination) => throw new NotSupportedException();

    public virtual long Capacity
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Fills the space that a buffer writer offers and commits a part of it.</summary>
    public virtual void Advance(ReadOnlySpan<byte> data, int hint, bool memory) => throw new NotSupportedException();

    public string ShowState() =>
        $"Length {Outcome.Of(() => Show(stream.Length))}, Position {Outcome.Of(() => Show(stream.Position))}, "
        + $"CanRead {stream.CanRead}, CanWrite {stream.CanWrite}, CanSeek {stream.CanSeek}, CanTimeout {stream.CanTimeout}";

    private static string Show(long number) => FormattableString.Invariant($"{number}");
}
