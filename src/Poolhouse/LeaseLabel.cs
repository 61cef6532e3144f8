namespace Poolhouse;

/// <summary>
/// A name for what the current asynchronous flow does, such as the route of a request. It is recorded with the leases that the
/// flow rents.
/// </summary>
/// <remarks>
/// <para>
/// Pools read the label on each rent if <see cref="ResourcePoolOptions.LabelLeases"/> or
/// <see cref="ResourcePoolOptions.TrackLeases"/> is on, and otherwise never. It is shown in <see cref="LeaseSnapshot.Label"/> and
/// in the message of a <see cref="PoolTimeoutException"/>, and is a tag of metrics: use few different labels, and nothing secret
/// or personal.
/// </para>
/// <para>Thread safe.</para>
/// </remarks>
/// <example><code>
/// using (LeaseLabel.Use("checkout"))
/// {
///     await using var lease = await pool.RentAsync();
/// }
/// </code></example>
public static class LeaseLabel
{
    private static readonly AsyncLocal<string?> _current = new();

    /// <summary>The label of the current asynchronous flow, or null.</summary>
    public static string? Current => _current.Value;

    /// <summary>
    /// Sets the label of the current asynchronous flow, and of those that it starts, until the result is disposed.
    /// </summary>
    /// <param name="label">The label; not blank.</param>
    /// <returns>A scope that restores the previous label when it is disposed.</returns>
    /// <exception cref="ArgumentException"><paramref name="label"/> is null or blank.</exception>
    /// <remarks>Leases keep the label with which they were rented.</remarks>
    public static Scope Use(string label)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(label);
        var scope = new Scope(_current.Value);
        _current.Value = label;
        return scope;
    }

    /// <summary>The time during which a label is set.</summary>
#pragma warning disable CA1034 // Only Use returns it, and only a using statement needs it.
    public readonly record struct Scope : IDisposable
#pragma warning restore CA1034
    {
        private readonly string? _previous;

        internal Scope(string? previous) => _previous = previous;

        /// <summary>Restores the previous label of the current asynchronous flow.</summary>
        public void Dispose() => _current.Value = _previous;
    }
}
