namespace Poolhouse.Testing;

/// <summary>What becomes of one call of a scripted hook.</summary>
public enum HookOutcome
{
    /// <summary>It succeeds at once.</summary>
    Succeed,

    /// <summary>It answers "no" where the hook has an answer; otherwise it throws, as for <see cref="Fail"/>.</summary>
    Refuse,

    /// <summary>It throws <see cref="ScriptedHook.Failure"/>.</summary>
    Fail,

    /// <summary>It succeeds after <see cref="ScriptedHook.Delay"/>, and does not listen to its token.</summary>
    Slow,

    /// <summary>It hangs until <see cref="ScriptedHook.Release"/> and then succeeds, however late; it does not listen to its token.</summary>
    Hang,

    /// <summary>It hangs until its token is cancelled or <see cref="ScriptedHook.Release"/> is called.</summary>
    HangUntilCancelled,
}
