using System.Globalization;

namespace Poolhouse.Data.Tests.Soak;

/// <summary>What came of the calls of a soak. Thread safe.</summary>
internal sealed class SoakTally
{
    private long _answered;
    private long _givenUp;
    private long _failed;
    private long _ended;

    /// <summary>Calls that read their nonce.</summary>
    public long Answered => Interlocked.Read(ref _answered);

    /// <summary>Calls that were cancelled, or whose statement ran into its time-out.</summary>
    public long GivenUp => Interlocked.Read(ref _givenUp);

    /// <summary>Calls that met an error which they had not caused.</summary>
    public long Failed => Interlocked.Read(ref _failed);

    /// <summary>Sessions that the administrator ended.</summary>
    public long Ended => Interlocked.Read(ref _ended);

    public void CountAnswered() => Interlocked.Increment(ref _answered);

    public void CountGivenUp() => Interlocked.Increment(ref _givenUp);

    public void CountFailed() => Interlocked.Increment(ref _failed);

    public void CountEnded(long sessions) => Interlocked.Add(ref _ended, sessions);

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Answered} answered, {GivenUp} given up, {Failed} failed, {Ended} sessions ended by the administrator");
}
