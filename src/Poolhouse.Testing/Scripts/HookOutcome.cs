namespace Poolhouse.Testing;

/// <summary>The outcome of one call of a scripted hook.</summary>
public enum HookOutcome
{
    /// <summary>The call succeeds at once.</summary>
    Succeed,

    /// <summary>The call returns a negative result if the hook has one; otherwise it throws, as for <see cref="Fail"/>.</summary>
    Refuse,

    /// <summary>The call throws <see cref="ScriptedHook.Failure"/>.</summary>
    Fail,

    /// <summary>The call succeeds after <see cref="ScriptedHook.Delay"/> and ignores its token.</summary>
    Slow,

    /// <summary>
    /// The call hangs until <see cref="ScriptedHook.Release"/> and then succeeds, however late; it ignores its token.
    /// </summary>
    Hang,

    /// <summary>The call hangs until its token is cancelled or <see cref="ScriptedHook.Release"/> is called.</summary>
    HangUntilCancelled,
}
