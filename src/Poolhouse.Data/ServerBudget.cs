using System.Data.Common;
using Poolhouse.Data.Budgets;
using Poolhouse.Data.Opening;
using Poolhouse.Data.Providers;
using Poolhouse.Servers.Internal;

namespace Poolhouse.Data;

/// <summary>
/// Divides the sessions that a database server accepts among all processes that use it: the server admits, the members give way.
/// </summary>
/// <remarks>
/// <para>
/// Each process keeps one more session, whose name tells the others what it wants, and reads the list of all sessions: once a
/// second, five times a second while callers wait. All compute the same fair shares from the same list
/// (<see cref="PoolBudget.Share"/>). Who holds more gives way, and one place always stays free for the next process.
/// </para>
/// <para>
/// The server counts. Set the limit there: <c>ALTER ROLE … CONNECTION LIMIT</c> (PostgreSQL) or <c>MAX_USER_CONNECTIONS</c>
/// (MySQL, MariaDB). No tables are needed, and no privileges. If the server cannot be reached, the pools keep their shares. Only
/// for providers whose server has a list of sessions: Npgsql, MySqlConnector and MySql.Data.
/// </para>
/// <para>
/// For pools that are created from a factory and a connection string: their sessions get a name that the budget recognizes.
/// Pools over data sources need <see cref="NameFor"/>. Thread safe. Starts with the first pool that has this budget, and closes
/// its session after the last one was drained or disposed.
/// </para>
/// <code>
/// options.Pool.Budget = ServerBudget.Join(NpgsqlFactory.Instance, connectionString, "orders");
/// </code>
/// </remarks>
// Invariants
//   one beat at a time; the session of the member belongs to it
//   no list, no growth: if lists stop although the server answered before, no session is opened until the next one
// Locks: none. Reports arrive from the timers of the pools; the fields of a beat are handed on by _isBeating
#pragma warning disable CA1001 // The session is closed when the last pool has ended.
public sealed class ServerBudget : PoolBudget
#pragma warning restore CA1001
{
    private const int FewestPlaces = 2;
    private const int MostNameLength = 32;
    private const int SecondsUnnamed = 5;
    private const int MembersPerCalmSecond = 50;
    private const int SecondsToComeBack = 2;

    private static readonly TimeSpan _calmInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan _beatTimeout = TimeSpan.FromSeconds(5);

    private readonly DbDataSource _source;
    private readonly SessionLister _lister;
    private readonly OpenFailures _failures = new(DbErrorClassifier.Default);
    private readonly TimeProvider _time;
    private readonly int? _places;
    private readonly string _member = Guid.NewGuid().ToString("N")[..8];
    private readonly MemberShare _share;

    // Written by reports.
    private int _wanted;
    private int _live;
    private int _maximum;
    private int _isWaiting;

    // Those of a beat.
    private int _isBeating;
    private DbConnection? _session;
    private long _unnamedSince = long.MaxValue;
    private long _growsFrom;
    private bool _hasGivenUp;

    private long _listedAt;
    private long _calmTicks;
    private long _notBefore;
    private long _reportedAt;
    private volatile bool _isServerAvailable = true;
    private volatile string? _switchedOff;

    private ServerBudget(DbDataSource source, SessionLister lister, string name, int? places, TimeProvider time)
    {
        (_source, _lister, Name, _places, _time) = (source, lister, name, places, time);
        _listedAt = time.GetTimestamp();
        _share = new MemberShare(_member, lister.ShowsNames);
    }

    /// <summary>The name of the budget, the same for all members.</summary>
    public string Name { get; }

    /// <inheritdoc/>
    /// <value>Zero until the server was reached; <see cref="int.MaxValue"/> if the budget is switched off.</value>
    public override int Limit => _share.Limit;

    /// <summary>
    /// Why the budget is switched off, so that only the options of the pools limit them; null while it is in effect.
    /// </summary>
    /// <value>
    /// Not null if a proxy such as PgBouncer is between this process and the server, which then is the budget itself, or if
    /// sessions of the pools do not have the name that <see cref="NameFor"/> returns.
    /// </value>
    public string? SwitchedOff => _switchedOff;

    /// <summary>Creates a budget for a provider and a connection string.</summary>
    /// <param name="factory">The provider.</param>
    /// <param name="connectionString">The connection string of the pools, or one for the same server and user.</param>
    /// <param name="name">
    /// The name of the budget, the same in all processes: 1 to 32 letters, digits, dots, hyphens or underscores.
    /// </param>
    /// <param name="places">
    /// The limit for the sessions of this user, if the server has none; <c>null</c> for the server's own limits. At least 2.
    /// </param>
    /// <param name="timeProvider">The clock; <c>null</c> for that of the system.</param>
    /// <returns>The budget: one for all pools of this process that use the server.</returns>
    /// <exception cref="ArgumentNullException">The factory, the connection string or the name is null.</exception>
    /// <exception cref="ArgumentException">
    /// The name or the connection string is invalid, or the server of the provider has no list of sessions.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="places"/> is out of range.</exception>
    public static ServerBudget Join(
        DbProviderFactory factory, string connectionString, string name, int? places = null, TimeProvider? timeProvider = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        ArgumentNullException.ThrowIfNull(connectionString);
        var profile = DbProviderProfile.Of(factory);
        var providers = PoolKeywords.Of(connectionString, profile).ProviderString;
        var source = factory.CreateDataSource(ProviderStrings.WithoutPool(factory, profile, providers, enlist: false));
        return Join(source, name, places, timeProvider);
    }

    /// <inheritdoc cref="Join(DbProviderFactory, string, string, int?, TimeProvider?)"/>
    /// <summary>Creates a budget for a data source of the provider, which the caller still owns.</summary>
    /// <param name="source">Opens the session of this member; with the provider's own pooling turned off.</param>
    /// <param name="name">
    /// The name of the budget, the same in all processes: 1 to 32 letters, digits, dots, hyphens or underscores.
    /// </param>
    /// <param name="places">
    /// The limit for the sessions of this user, if the server has none; <c>null</c> for the server's own limits. At least 2.
    /// </param>
    /// <param name="timeProvider">The clock; <c>null</c> for that of the system.</param>
    /// <exception cref="ArgumentNullException">The source or the name is null.</exception>
    /// <exception cref="ArgumentException">
    /// The name is invalid, the source pools its connections, or the server of the provider has no list of sessions.
    /// </exception>
    public static ServerBudget Join(
        DbDataSource source, string name, int? places = null, TimeProvider? timeProvider = null)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(name);
        if (places is { } most)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(most, FewestPlaces, nameof(places));
        }

        if (name.Length is 0 or > MostNameLength
            || !name.All(static letter => char.IsAsciiLetterOrDigit(letter) || letter is '.' or '-' or '_'))
        {
            throw new ArgumentException(
                $"The name of the budget is '{name}'; allowed: 1 to {MostNameLength} letters, digits, dots, hyphens or " +
                "underscores.",
                nameof(name));
        }

        ConnectionSourceSettings.ThrowIfAnyPools([source]);
        var profile = DbProviderProfile.Of(source);
        var lister = profile.Sessions ?? throw new ArgumentException(
            $"The provider '{profile.Name}' has no list of sessions that members of a budget could read. Divide the limit of " +
            "its servers with PoolBudget.Fixed.",
            nameof(source));
        return new ServerBudget(source, lister, name, places, timeProvider ?? TimeProvider.System);
    }

    /// <summary>
    /// The name for sessions of pools over data sources that an application builds: set it as their application name.
    /// </summary>
    /// <param name="applicationName">The name that the application would have otherwise; <c>null</c> for none.</param>
    /// <returns>That name, shortened if too long, and the names of the budget and of this member: 63 bytes at most.</returns>
    public string NameFor(string? applicationName = null) => SessionName.Of(Name, _member, applicationName);

    /// <inheritdoc/>
    protected override bool TryBegin() =>
        !_isServerAvailable || _switchedOff is not null
            || SinceList.Ticks < Volatile.Read(ref _calmTicks) + _beatTimeout.Ticks;

    /// <inheritdoc/>
    protected override void Report(BudgetDemand demand)
    {
        // What was wanted a moment ago is likely to be wanted again: it fades within a second or two.
        var wanted = Volatile.Read(ref _wanted);
        Volatile.Write(ref _wanted, Math.Max(demand.Wanted, wanted - Math.Max(1, wanted / 5)));
        Volatile.Write(ref _live, demand.Live);
        Volatile.Write(ref _maximum, demand.Maximum);
        Volatile.Write(ref _isWaiting, demand.Waiting);
        Volatile.Write(ref _reportedAt, _time.GetTimestamp());
        if (IsBeatDue() && Interlocked.Exchange(ref _isBeating, 1) == 0)
        {
            _ = Task.Run(RunAsync);
        }
    }

    // While callers wait, or while this member has to give way, each report leads to a beat.
    private bool IsBeatDue() =>
        _switchedOff is null && _time.GetTimestamp() >= Volatile.Read(ref _notBefore)
        && (Volatile.Read(ref _maximum) == 0 || IsTense || SinceList.Ticks >= Volatile.Read(ref _calmTicks));

    private TimeSpan SinceList => _time.GetElapsedTime(Volatile.Read(ref _listedAt));

    private bool IsTense =>
        Volatile.Read(ref _isWaiting) > 0 || Volatile.Read(ref _live) > _share.Part || !_isServerAvailable;

#pragma warning disable CA1031 // Whatever the provider throws, the next beat tries again.
    private async Task RunAsync()
    {
        do
        {
            try
            {
                await (Volatile.Read(ref _maximum) == 0 ? LeaveAsync() : BeatAsync()).ConfigureAwait(false);
            }
            catch (Exception failure)
            {
                await CloseAsync().ConfigureAwait(false);
                ObserveFailure(failure);
            }

            var isOpen = _session is not null;
            Interlocked.Exchange(ref _isBeating, 0);
            OnLimitChanged();
            if (!isOpen)
            {
                return;
            }
        }
        while (MustGoOn && Interlocked.Exchange(ref _isBeating, 1) == 0);
    }

    // The last report of all may have come during the beat. Where a member is visible only during its statements, one follows the
    // other, unless its pools are gone without an end.
    private bool MustGoOn =>
        Volatile.Read(ref _maximum) == 0
            || (!_lister.ShowsNames && _time.GetElapsedTime(Volatile.Read(ref _reportedAt)) < _calmInterval * 2);

    private async Task BeatAsync()
    {
        using var timeout = new TimeLimit(_beatTimeout, _time);
        if (_session is null)
        {
            _session = await _source.OpenConnectionAsync(timeout.Token).ConfigureAwait(false);
            _unnamedSince = long.MaxValue;

            // If it is not the first one, the others may have lost theirs, too, and come back to the places that they had.
            _growsFrom = _share.Members == 0
                ? long.MinValue
                : _time.GetTimestamp() + (SecondsToComeBack * _time.TimestampFrequency);
        }

        var list = await ReadListAsync(_session, timeout.Token).ConfigureAwait(false);
        (_isServerAvailable, _hasGivenUp) = (true, false);
        Volatile.Write(ref _listedAt, _time.GetTimestamp());
        if (_lister.SessionIdOf(_session) is { } known && known != list.SessionId)
        {
            await SwitchOffAsync(
                "A proxy is between this process and the server: its own limits are the budget. Connect to the server " +
                "directly, or remove the budget.").ConfigureAwait(false);
            return;
        }

        var shown = _share.Follow(list, Volatile.Read(ref _live), mayGrow: _time.GetTimestamp() >= _growsFrom);
        var isUnnamed = shown is 0 && Volatile.Read(ref _live) > 0;
        _unnamedSince = isUnnamed ? Math.Min(_unnamedSince, _time.GetTimestamp()) : long.MaxValue;
        Volatile.Write(
            ref _calmTicks, Math.Max(_calmInterval.Ticks, _calmInterval.Ticks * _share.Members / MembersPerCalmSecond));

        // For so long, because connections that are being opened, and those that a restart has closed, count as live.
        if (isUnnamed && _time.GetElapsedTime(_unnamedSince) >= TimeSpan.FromSeconds(SecondsUnnamed))
        {
            await SwitchOffAsync(
                $"The sessions of the pool are not named '{NameFor()}'. Create the pool from a factory and a connection " +
                "string, or set the application name of its data source to ServerBudget.NameFor.").ConfigureAwait(false);
        }
    }

    private async Task<SessionList> ReadListAsync(DbConnection session, CancellationToken cancellationToken)
    {
        var name = SessionName.Of(Name, _member, Volatile.Read(ref _wanted), Volatile.Read(ref _live));
        var command = SessionReset.CreateCommand(session, _lister.StatementFor(name, isCalm: !IsTense));
        await using (command.ConfigureAwait(false))
        {
            var reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                return await _lister.ReadAsync(reader, Name, _places, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    // Refused: others hold all places, and one that this member holds is given up for its session, without which the others do
    // not know what it wants. Otherwise the pools find out themselves what is wrong with the server. Others that were refused at
    // the same moment try again at another one.
    private void ObserveFailure(Exception failure)
    {
        var pause = _time.TimestampFrequency * Random.Shared.Next(200, 600) / 1000;
        Volatile.Write(ref _notBefore, _time.GetTimestamp() + pause);
        _isServerAvailable = _failures.LackRoom(failure);
        if (!_isServerAvailable)
        {
            _share.Limit = Math.Max(1, _share.Limit);
        }
        else if (!_hasGivenUp && Volatile.Read(ref _live) is > 1 and var live)
        {
            (_hasGivenUp, _share.Limit) = (true, Math.Min(_share.Limit, live - 1));
        }
    }

    private async Task SwitchOffAsync(string reason)
    {
        _switchedOff = reason;
        _share.Limit = int.MaxValue;
        await CloseAsync().ConfigureAwait(false);
    }

    private async Task LeaveAsync()
    {
        _share.Forget();
        await CloseAsync().ConfigureAwait(false);
    }

    private async Task CloseAsync()
    {
        if (_session is { } session)
        {
            _session = null;
            try
            {
                await session.DisposeAsync().ConfigureAwait(false);
            }
            catch (Exception)
            {
                // The connection is broken.
            }
        }
    }
#pragma warning restore CA1031
}
