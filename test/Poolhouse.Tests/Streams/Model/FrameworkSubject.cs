namespace Poolhouse.Tests.Streams.Model;

/// <summary>The framework's memory stream: what it does is right.</summary>
internal sealed class FrameworkSubject(MemoryStream stream, byte[]? content = null) : Subject(stream)
{
    public override long Capacity
    {
        get => stream.Capacity;
        set => stream.Capacity = checked((int)value);
    }

    public override void ReadContent(Span<byte> bytes) => (content ?? stream.GetBuffer()).AsSpan(0, bytes.Length).CopyTo(bytes);

    public override byte[] ToArray() => stream.ToArray();

    public override byte[] GetBuffer() => stream.GetBuffer();

    public override bool TryGetBuffer(out ArraySegment<byte> buffer) => stream.TryGetBuffer(out buffer);

    public override void WriteTo(Stream destination) => stream.WriteTo(destination);

    public override void Advance(ReadOnlySpan<byte> data, int hint, bool memory) => stream.Write(data);
}
