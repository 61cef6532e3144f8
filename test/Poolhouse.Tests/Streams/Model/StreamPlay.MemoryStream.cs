namespace Poolhouse.Tests.Streams.Model;

/// <summary>The calls that a memory stream has beside those of every stream, and a buffer writer's.</summary>
internal static partial class StreamPlay
{
    private static string DoAsMemoryStream(StreamMove move, Subject subject) => move.Call switch
    {
        StreamCall.WriteTo => Copy(move, (destination, _) => Outcome.Of(() => subject.WriteTo(destination))),
        StreamCall.WriteToItself => IsShort(subject.Stream) ? Outcome.Of(() => subject.WriteTo(subject.Stream)) : "left out",
        StreamCall.ToArray => Outcome.Of(() => Outcome.Show(subject.ToArray())),
        StreamCall.GetBuffer => Outcome.Of(() => Outcome.Show(subject.GetBuffer().AsSpan(0, LengthOf(subject)))),
        StreamCall.TryGetBuffer => Outcome.Of(() => $"{subject.TryGetBuffer(out var buffer)} {Outcome.Show(buffer)}"),
        StreamCall.WriteThroughBuffer => Outcome.Of(() => WriteThroughBuffer(move, subject)),
        StreamCall.SeeThroughBuffer => Outcome.Of(() => SeeThroughBuffer(move, subject)),
        StreamCall.WriteOwnBuffer => Outcome.Of(() => WriteOwnBuffer(subject)),
        StreamCall.SetCapacity => Outcome.Of(() => SetCapacity(move, subject)),
        _ => Outcome.Of(() => Advance(move, subject)),
    };

    /// <summary>The buffer is the stream's own: a byte put there is in the stream.</summary>
    private static string WriteThroughBuffer(StreamMove move, Subject subject)
    {
        var buffer = subject.GetBuffer();
        var length = LengthOf(subject);
        if (length > 0)
        {
            buffer[move.Size % length] = (byte)(move.Size + move.Choice);
        }

        return Outcome.Show(buffer.AsSpan(0, length));
    }

    /// <summary>The buffer is the stream's own: what is written without growth can be seen there.</summary>
    private static string SeeThroughBuffer(StreamMove move, Subject subject)
    {
        var buffer = subject.GetBuffer();
        var length = LengthOf(subject);
        subject.Stream.Position = length == 0 ? 0 : move.Size % length;
        subject.Stream.Write(move.Data().AsSpan(0, Math.Min(move.Size, length - (int)subject.Stream.Position)));
        return Outcome.Show(buffer.AsSpan(0, length));
    }

    /// <summary>What is written may lie in the stream already, also where the write makes it grow.</summary>
    private static string WriteOwnBuffer(Subject subject)
    {
        if (!IsShort(subject.Stream))
        {
            return "left out";
        }

        subject.Stream.Write(subject.GetBuffer(), 0, LengthOf(subject));
        return "done";
    }

    private static string SetCapacity(StreamMove move, Subject subject)
    {
        var value = move.Flaw == Flaw.None ? subject.Stream.Length + move.Size - (move.Choice * 2) : -1 - move.Size;
        subject.Capacity = value;
        Assert.InRange(subject.Capacity, value, long.MaxValue);
        return "done";
    }

    /// <summary>Half or all of the requested space is committed.</summary>
    private static string Advance(StreamMove move, Subject subject)
    {
        var data = move.Data();
        var kept = data.AsSpan(0, data.Length * Math.Min(move.Choice, 2) / 2);
        subject.Advance(kept, move.Size, move.Call == StreamCall.AdvanceMemory);
        return "done";
    }

    private static int LengthOf(Subject subject) => (int)subject.Stream.Length;
}
