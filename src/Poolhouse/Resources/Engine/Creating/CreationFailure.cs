namespace Poolhouse.Resources.Engine.Creating;

/// <summary>Why a creation failed.</summary>
/// <param name="Failure">The exception.</param>
/// <param name="IsPermanent">Whether it is permanent, according to the policy.</param>
/// <param name="LacksRoom">Whether only room is missing, which the end of another item makes; then it is not permanent.</param>
internal readonly record struct CreationFailure(Exception Failure, bool IsPermanent = false, bool LacksRoom = false);
