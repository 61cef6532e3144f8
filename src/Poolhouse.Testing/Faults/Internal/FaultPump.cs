using System.Net.Sockets;
using System.Threading.Channels;

namespace Poolhouse.Testing.Faults.Internal;

/// <summary>One direction of one connection.</summary>
// Roles
//   the reader takes pieces from the source as they come, so that each has its true time of arrival, and queues them
//   the writer passes them one by one through the current toxics of the direction, and sends the result
//   only the writer touches _passed and _freeAt; _outputClosed is set under the gate by the code that closes the output
//   the output is shut down when it is both connected and closed, in either order: an earlier one aborts the attempt
internal sealed class FaultPump(Socket source, Socket destination, FaultDirection direction, FaultConnection connection)
{
    private const int PieceSize = 16 * 1024;
    private const int QueuedPieces = 64;

    private readonly Channel<FaultPiece> _pieces = Channel.CreateBounded<FaultPiece>(
        new BoundedChannelOptions(QueuedPieces) { SingleReader = true, SingleWriter = true });

    private readonly Dictionary<ToxicEntry, long> _passed = [];
    private readonly Dictionary<ToxicEntry, long> _freeAt = [];
    private readonly Lock _gate = new();
    private bool _outputConnected;
    private bool _outputClosed;
    private volatile bool _sourceReset;
    private volatile bool _endPassed;
    private volatile bool _isRefused;

    public TimeProvider Time => connection.Time;

    /// <summary>Cancelled when the connection ends.</summary>
    public CancellationToken Ended => connection.Ended;

    /// <summary>Whether the end of the source was passed on.</summary>
    public bool HasPassedEnd => _endPassed;

    /// <summary>Whether the destination refused bytes.</summary>
    public bool IsRefused => _isRefused;

    /// <summary>Pumps until the end of the stream was passed on, or the connection ended.</summary>
    public async Task RunAsync()
    {
        var reading = ReadAsync();
        try
        {
            await foreach (var piece in _pieces.Reader.ReadAllAsync(Ended).ConfigureAwait(false))
            {
                await PassAsync(direction.Entries, 0, piece.Bytes, piece).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            // The connection ended.
        }
        catch
        {
            // No reader should wait for data that will not arrive any more.
            End(ConnectionEnd.Reset);
            throw;
        }

        await reading.ConfigureAwait(false);
    }

    public long PassedBy(ToxicEntry entry) => _passed.GetValueOrDefault(entry);

    public void CountPassed(ToxicEntry entry, int bytes) => _passed[entry] = PassedBy(entry) + bytes;

    /// <summary>When the line of a toxic that limits the rate is free: a timestamp; the least one if it never was busy.</summary>
    public long FreeAt(ToxicEntry entry) => _freeAt.GetValueOrDefault(entry, long.MinValue);

    public void OccupyUntil(ToxicEntry entry, long time) => _freeAt[entry] = time;

    public void End(ConnectionEnd end) => connection.End(end);

    /// <summary>Passes bytes to the toxic at an index or, after the last, to the other side.</summary>
    public ValueTask PassAsync(ToxicEntry[] entries, int index, ReadOnlyMemory<byte> bytes, FaultPiece piece)
    {
        // A toxic that was removed while the piece waited in another is passed over.
        while (index < entries.Length && entries[index].Removed.IsCancellationRequested)
        {
            index++;
        }

        return index < entries.Length
            ? entries[index].Toxic.PassAsync(bytes, new ToxicStage(this, entries, index, piece))
            : SendAsync(bytes);
    }

    /// <summary>The other side is connected. Ends the output to it if that was requested before.</summary>
    public void ConnectOutput()
    {
        lock (_gate)
        {
            _outputConnected = true;
            if (!_outputClosed)
            {
                return;
            }
        }

        ShutDownOutput();
    }

    /// <summary>Ends the output to the other side, at the latest when it is connected; later data is dropped.</summary>
    public void CloseOutput()
    {
        lock (_gate)
        {
            if (_outputClosed)
            {
                return;
            }

            _outputClosed = true;
            if (!_outputConnected)
            {
                return;
            }
        }

        ShutDownOutput();
    }

    private void ShutDownOutput()
    {
        try
        {
            destination.Shutdown(SocketShutdown.Send);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // It has already ended.
        }
    }

    private bool IsOutputClosed
    {
        get
        {
            lock (_gate)
            {
                return _outputClosed;
            }
        }
    }

    private async Task ReadAsync()
    {
        var buffer = new byte[PieceSize];
        try
        {
            while (await ReceiveAsync(buffer).ConfigureAwait(false) is > 0 and var count)
            {
                var piece = FaultPiece.Arrive(buffer.AsSpan(0, count).ToArray(), Time);
                direction.CountArrived(count);
                await _pieces.Writer.WriteAsync(piece, Ended).ConfigureAwait(false);
            }

            await _pieces.Writer.WriteAsync(FaultPiece.Arrive(default, Time), Ended).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The connection ended.
        }

        _pieces.Writer.Complete();
    }

    // A reset passes through the toxics like an end: behind a black hole, it is not detected.
    private async ValueTask<int> ReceiveAsync(byte[] buffer)
    {
        try
        {
            return await source.ReceiveAsync(buffer, Ended).ConfigureAwait(false);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            _sourceReset = true;
            return 0;
        }
    }

    private async ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        if (bytes.IsEmpty)
        {
            EndOutput();
            return;
        }

        try
        {
            while (!bytes.IsEmpty && !IsOutputClosed)
            {
                var sent = await destination.SendAsync(bytes, Ended).ConfigureAwait(false);
                direction.CountPassed(sent);
                bytes = bytes[sent..];
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The other side has ended, which its own direction reports, unless it did so before; or the output was closed
            // meanwhile.
            _isRefused = !IsOutputClosed;
            CloseOutput();
            connection.EndIfRefused();
        }
    }

    private void EndOutput()
    {
        if (_sourceReset)
        {
            End(ConnectionEnd.Reset);
        }
        else
        {
            CloseOutput();
            _endPassed = true;
            connection.EndIfRefused();
        }
    }
}
