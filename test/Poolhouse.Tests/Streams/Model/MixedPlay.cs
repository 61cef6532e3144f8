using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Runtime.InteropServices;

namespace Poolhouse.Tests.Streams.Model;

/// <summary>
/// Plays calls of the whole public surface on one stream while neighbors use the same pools. After each call the content is that
/// of a memory stream, everything that is still valid shows what it showed, and no byte of a neighbor shows or is written
/// anywhere.
/// </summary>
internal sealed class MixedPlay : IDisposable
{
    private const byte Scribble = 0xDD;

    private readonly MemoryStream _expected = new();
    private readonly Func<PooledStream> _rent;
    private readonly bool _keepsWriting;
    private readonly Neighbors _neighbors;
    private readonly List<Shown> _valid = [];
    private readonly List<ReadOnlyMemory<byte>> _everShown = [];
    private readonly List<Memory<byte>> _everOffered = [];
    private readonly List<(HaltedCopy Destination, Task Copy, int Detachments)> _copies = [];
    private readonly List<(PooledSequence Sequence, byte[] Content)> _detached = [];
    private PooledStream _stream;
    private PipeReader _reader;
    private PipeWriter _writer;
    private int _detachments;
    private Memory<byte> _offer;
    private long _offeredAt;
    private ReadOnlySequence<byte>? _read;
    private long _readAt;

    // Whether the last offer has to be accepted: only reads came after it.
    private bool _mustAccept;

    // Whether the last offer has to be refused: it was away from the end, and then something was written or the position moved.
    private bool _mustRefuse;
    private bool _isOfferAway;
    private byte _next;

    /// <param name="arrays">Where the blocks come from.</param>
    /// <param name="pool">Where the neighbors' streams come from.</param>
    /// <param name="rent">Rents a stream from the same pools. One that was detached is replaced.</param>
    /// <param name="keepsWriting">Whether memory that was offered once is written at any time later, which may spoil this
    /// stream's own content, but not that of others. The content is not compared then.</param>
    public MixedPlay(
        TieredArrayPool<byte> arrays,
        StreamPool pool,
        Func<PooledStream> rent,
        bool keepsWriting)
    {
        _rent = rent;
        _keepsWriting = keepsWriting;
        _neighbors = new Neighbors(arrays, pool);
        Begin();
    }

    public void Do(MixMove move)
    {
        switch (move.Call)
        {
            case MixCall.GetMemory:
                Offer(_stream.GetMemory(move.Size), move.Size);
                break;
            case MixCall.GetSpan:
                Assert.InRange(_stream.GetSpan(move.Size).Length, Math.Max(1, move.Size), int.MaxValue);
                Offer(_stream.GetMemory(move.Size), move.Size);
                break;
            case MixCall.PipeGetMemory:
                Offer(_writer.GetMemory(move.Size), move.Size);
                break;
            case MixCall.Advance:
                Advance(Math.Min(move.Size, _offer.Length), _stream.Advance);
                break;
            case MixCall.AdvanceAll:
                Advance(Math.Min(_offer.Length, 1000), _stream.Advance);
                break;
            case MixCall.AdvanceTooFar:
                Assert.Throws<InvalidOperationException>(() => _stream.Advance(_offer.Length + 1 + move.Size));
                break;
            case MixCall.PipeAdvance:
                Advance(Math.Min(move.Size, _offer.Length), _writer.Advance);
                break;
            case MixCall.Detach:
                Detach(keepsContent: move.Size % 2 == 0);
                break;
            case <= MixCall.SetLeastCapacity:
                Change(move);
                break;
            case >= MixCall.NeighborsMoveIn:
                MoveNeighbors(move.Call == MixCall.NeighborsMoveIn);
                break;
            default:
                Inspect(move);
                break;
        }

        Check(move);
    }

    public void Dispose()
    {
        while (_copies.Count > 0)
        {
            EndCopy();
        }

        _detached.ForEach(static detached => detached.Sequence.Dispose());
        _expected.Dispose();
        _neighbors.AssertUntouched();
        _neighbors.MoveOut();
        _stream.Dispose();
    }

    [MemberNotNull(nameof(_stream), nameof(_reader), nameof(_writer))]
    private void Begin()
    {
        _stream = _rent();
        _reader = _stream.AsPipeReader();
        _writer = _stream.AsPipeWriter();
    }

    /// <summary>
    /// Detaches the content and ends the use of the stream. Its object and its body go to a neighbor if they are reused, and the
    /// play continues with another stream.
    /// </summary>
    private void Detach(bool keepsContent)
    {
        var content = _expected.ToArray();
        var sequence = _stream.DetachBuffer();
        AssertContent(content, sequence.Sequence.ToArray(), "DetachBuffer");
        if (keepsContent)
        {
            _detached.Add((sequence, content));
        }
        else
        {
            sequence.Dispose();
        }

        _detachments++;
        _neighbors.MoveIn();
        Begin();
        _expected.SetLength(0);
        _everShown.Clear();
        _everOffered.Clear();
        _offer = default;
        _isOfferAway = false;
        Changed();
        _mustRefuse = false;
    }

    private void Change(MixMove move)
    {
        switch (move.Call)
        {
            case MixCall.Write:
                var data = Data(move.Size);
                _stream.Write(data);
                _expected.Write(data);
                Changed(isWritten: data.Length > 0);
                break;
            case MixCall.WriteByte:
                data = Data(1);
                _stream.WriteByte(data[0]);
                _expected.WriteByte(data[0]);
                Changed();
                break;
            case MixCall.WriteOwnMemory:
                var own = _stream.WrittenSequence.First[..Math.Min(_stream.WrittenSequence.First.Length, move.Size)];
                _expected.Write(own.ToArray());
                _stream.Write(own.Span);
                Changed(isWritten: own.Length > 0);
                break;
            case MixCall.Read:
                var (read, wanted) = (new byte[move.Size], new byte[move.Size]);
                var count = _stream.Read(read);
                Assert.Equal(_expected.Read(wanted), count);
                AssertContent(wanted, read, "Read");
                Moved(count != 0);
                break;
            case MixCall.SetPosition:
                MoveTo(move.Size);
                break;
            case MixCall.SetPositionToEnd:
                Moved(_stream.Position != _stream.Length);
                _stream.Position = _expected.Position = _stream.Length;
                break;
            case MixCall.SetLength:
                _stream.SetLength(move.Size);
                _expected.SetLength(move.Size);
                Changed();
                break;
            case MixCall.SetCapacity:
                _stream.Capacity = _stream.Length + move.Size;
                break;
            default:
                _stream.Capacity = _stream.Length;
                break;
        }
    }

    private void Inspect(MixMove move)
    {
        switch (move.Call)
        {
            case MixCall.GetBuffer:
                var capacity = _stream.Capacity;
                var buffer = _stream.GetBuffer();
                Assert.Equal(_stream.Capacity, buffer.Length);
                Assert.InRange(buffer.Length, capacity, int.MaxValue);
                _everShown.Add(buffer);
                Show(move, new ReadOnlySequence<byte>(buffer, 0, (int)_stream.Length));
                break;
            case MixCall.TryGetBuffer:
                Assert.True(_stream.TryGetBuffer(out var segment));
                _everShown.Add(segment.Array);
                Show(move, new ReadOnlySequence<byte>(segment.AsMemory()));
                break;
            case MixCall.ToArray:
                AssertContent(_expected.ToArray(), _stream.ToArray(), "ToArray");
                break;
            case MixCall.WrittenSequence:
                Show(move, _stream.WrittenSequence);
                break;
            case MixCall.AsReadOnly:
                var view = _stream.AsReadOnly();
                _valid.Add(new Shown("AsReadOnly", () => ReadAll(view), _expected.ToArray()));
                break;
            case MixCall.PipeRead:
                var isThere = _reader.TryRead(out var result);
                Assert.Equal(_stream.Position < _stream.Length, isThere);
                _read = isThere ? result.Buffer : null;
                _readAt = _stream.Position;
                if (isThere)
                {
                    var rest = _expected.ToArray()[(int)_stream.Position..];
                    _valid.Add(new Shown("PipeRead", () => result.Buffer.ToArray(), rest));
                    Remember(result.Buffer);
                }

                break;
            case MixCall.PipeAdvanceTo when _read is { } unread:
                _read = null;
                var consumed = unread.Slice(0, Math.Min(move.Size, unread.Length));
                Moved(_stream.Position != _readAt + consumed.Length);
                _reader.AdvanceTo(consumed.End);
                _expected.Position = _readAt + consumed.Length;
                break;
            case MixCall.BeginCopy:
                if (move.Size % 2 == 0)
                {
                    // After most other calls, nothing is left to copy.
                    MoveTo(0);
                }

                var destination = new HaltedCopy();
                var from = (int)Math.Min(_stream.Position, _stream.Length);
                _copies.Add((destination, _stream.CopyToAsync(destination), _detachments));
                _expected.Position = Math.Max(_expected.Position, _expected.Length);
                Moved(from != _stream.Length);
                break;
            case MixCall.EndCopy when _copies.Count > 0:
                EndCopy();
                break;
        }

        if (move.Call is MixCall.AsReadOnly or MixCall.BeginCopy)
        {
            // Earlier results are as valid as before.
            _read = null;
        }
    }

    private void Offer(Memory<byte> offer, int hint)
    {
        Assert.InRange(offer.Length, Math.Max(1, hint), int.MaxValue);
        _offer = offer;
        _offeredAt = _stream.Position;
        _mustAccept = true;
        _mustRefuse = false;
        _isOfferAway = _stream.Position != _stream.Length;
        _everOffered.Add(offer);

        // A writer may use all it was given, whatever it keeps in the end.
        offer.Span.Fill(Scribble);
        Data(Math.Min(offer.Length, 1000)).CopyTo(offer);
    }

    private void Advance(int count, Action<int> advance)
    {
        var content = _offer[..count].ToArray();
        var error = Record.Exception(() => advance(count));
        if (error is not null)
        {
            Assert.IsType<InvalidOperationException>(error);
            Assert.False(_mustAccept, $"An advance by {count} was refused: {error.Message}");
            return;
        }

        if (count == 0 && (_offeredAt != _stream.Position || !_mustAccept))
        {
            // Without an offer it is no write.
            _expected.SetLength(_stream.Length);
            _expected.Position = _stream.Position;
            return;
        }

        Assert.False(_mustRefuse && count > 0, $"An advance by {count} over a revoked offer was accepted.");
        Assert.Equal(_offeredAt + count, _stream.Position);
        _expected.Write(content);
        var (accepts, refuses) = (_mustAccept, _mustRefuse);
        Changed();

        // The rest can still be used.
        _offer = _offer[count..];
        _offeredAt += count;
        _mustAccept = accepts && _offer.Length > 0;
        _mustRefuse = refuses;
    }

    private void MoveNeighbors(bool into)
    {
        if (into)
        {
            _neighbors.MoveIn();
        }
        else
        {
            _neighbors.MoveOut();
        }
    }

    private void EndCopy()
    {
        var (destination, copy, detachments) = _copies[0];
        _copies.RemoveAt(0);
        destination.Continue();
        var error = Record.Exception(() => copy.GetAwaiter().GetResult());
        Assert.True(
            error is null || (error is ObjectDisposedException && detachments < _detachments), $"A copy ended with {error}.");
        Neighbors.AssertNothingOfThemIn(destination.ToArray(), "A copy");
    }

    private void Show(MixMove move, ReadOnlySequence<byte> sequence)
    {
        Remember(sequence);
        _valid.Add(new Shown(move.ToString(), () => sequence.ToArray(), _expected.ToArray()));
    }

    private void Remember(ReadOnlySequence<byte> sequence)
    {
        foreach (var piece in sequence)
        {
            _everShown.Add(piece);
        }
    }

    private void MoveTo(int position)
    {
        Moved(_stream.Position != position);
        _stream.Position = _expected.Position = position;
        _mustAccept = false;
    }

    private void Moved(bool hasMoved)
    {
        _mustAccept &= !hasMoved;
        _mustRefuse |= hasMoved && _isOfferAway;
    }

    private void Changed(bool isWritten = true)
    {
        _mustAccept = false;
        _mustRefuse |= isWritten && _isOfferAway;
        _valid.Clear();
        _read = null;
    }

    private void Check(MixMove move)
    {
        if (_keepsWriting)
        {
            _everOffered.ForEach(offer => offer.Span.Fill(Scribble));
            var position = _expected.Position;
            _expected.SetLength(_stream.Length);
            _expected.Position = position;
            Assert.True(_stream.ToArray().AsSpan().IndexOf(Neighbors.Mark) < 0, $"{move}: the content shows a neighbor's bytes.");
            _stream.ToArray().CopyTo(_expected.GetBuffer(), 0);
        }

        Assert.Equal((_expected.Length, _expected.Position), (_stream.Length, _stream.Position));
        AssertContent(_expected.ToArray(), _stream.ToArray(), move.ToString());
        _neighbors.AssertUntouched();
        _everShown.ForEach(shown => Neighbors.AssertNothingOfThemIn(shown.Span, "Memory that was shown once"));
        _detached.ForEach(static detached =>
            AssertContent(detached.Content, detached.Sequence.Sequence.ToArray(), "A detached sequence"));
        if (!_keepsWriting)
        {
            foreach (var shown in _valid)
            {
                AssertContent(shown.Content, shown.Read(), $"After {move}: {shown.Name}");
            }
        }
    }

    private byte[] Data(int count)
    {
        var data = new byte[count];
        for (var i = 0; i < count; i++)
        {
            data[i] = (byte)(1 + (++_next % 200));
        }

        return data;
    }

    private static byte[] ReadAll(SequenceStream view)
    {
        var content = new byte[view.Length];
        view.Position = 0;
        view.ReadExactly(content);
        return content;
    }

    private static void AssertContent(ReadOnlySpan<byte> expected, ReadOnlySpan<byte> actual, string where)
    {
        var same = expected.CommonPrefixLength(actual);
        Assert.True(
            same == expected.Length && same == actual.Length,
            $"{where} shows {actual.Length} bytes that differ from {same} on, but should be {expected.Length}.");
    }

    private sealed record Shown(string Name, Func<byte[]> Read, byte[] Content);

    /// <summary>A destination that waits in its first write.</summary>
    private sealed class HaltedCopy : TargetStream
    {
        private readonly TaskCompletionSource _go = new();

        public void Continue() => _go.TrySetResult();

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await _go.Task;
            Write(MemoryMarshal.AsBytes(buffer.Span));
        }
    }
}
